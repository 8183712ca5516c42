import { extractDocument } from "../../src/documents/extract-document.ts";
import type { ExtractOptions } from "../../src/documents/extract-document.ts";
import type { Picture } from "../../src/documents/pictures/picture.ts";
import { pageShown } from "../doubles/openai-compatible/seeing-server.ts";

/** The pictures of a document that go to a model, and the document with what the model says. */
export async function picturesOf(
  name: string,
  bytes: Uint8Array,
  options: Partial<ExtractOptions> = {},
) {
  const pictures: Picture[] = [];
  const readPicture = async (picture: Picture) => {
    pictures.push(picture);
    return { text: "The gates open at six.", by: "local/eye" };
  };
  const document = await extractDocument(
    { name, mimeType: null, bytes: new Uint8Array(bytes) },
    { readPicture, ...options },
  );
  return { pictures, document };
}

/** The numbers of the pages that pictures show. */
export const pagesShown = async (pictures: Picture[]) =>
  await Promise.all(pictures.map(({ bytes, mediaType }) => pageShown(bytes, mediaType)));
