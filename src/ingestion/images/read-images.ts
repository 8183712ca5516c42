import { messageOf } from "../../core/errors.ts";
import { DEFAULT_IMAGE_MODEL } from "../../core/models/model-kind.ts";
import type { ClaimedFile } from "../../db/files/claim-files.ts";
import { noteImageState } from "../../db/files/image-store.ts";
import { UnreadableDocument, type ExtractedDocument } from "../../documents/extracted-document.ts";
import type { PictureReader } from "../../documents/pictures/picture.ts";
import type { PictureOptions } from "../../documents/pictures/pictures.ts";
import type { ImageReader } from "../../ports/models.ts";
import type { Services } from "../../services.ts";
import { labelFailure, StepFailure } from "../indexing/end-file.ts";
import { backOffMs } from "../timeouts.ts";
import { ImageCalls, type ImageWork } from "./image-calls.ts";

/** Pictures of a file that wait for a server of one's own, or are read elsewhere at once. */
const [OWN_PICTURES_AT_ONCE, PICTURES_AT_ONCE] = [2, 4];

/** Extracts a file with the texts of its pictures, and records what is left to read. */
export async function readImages(
  services: Services,
  file: ClaimedFile,
  work: ImageWork,
  extract: (options: PictureOptions) => Promise<ExtractedDocument>,
): Promise<ExtractedDocument> {
  const reader = readerOf(services, file.source.imageModel);
  const calls = new ImageCalls(services, file, work);
  const hasModel = reader !== null;
  try {
    const document = await extract({
      readsPictures: file.source.pictures,
      ...(hasModel && optionsOf(reader, calls, nextTryMs(file) !== null)),
    });
    await settle(services, file, document, { hasModel, hasText: true });
    if (document.unread === undefined) calls.forgetPages();
    return document;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableDocument) || thrown.unread === 0) throw thrown;
    await settle(services, file, thrown, { hasModel, hasText: false });
    // A model that fails with every picture may be well tomorrow.
    throw hasModel ? new StepFailure(thrown.message, null, { cause: thrown }) : thrown;
  } finally {
    await calls.close();
  }
}

const nextTryMs = ({ imageTries }: ClaimedFile) => backOffMs(imageTries + 1);

function optionsOf(
  reader: ImageReader | { problem: string },
  calls: ImageCalls,
  isTried: boolean,
): PictureOptions {
  if ("problem" in reader) return { readPicture: () => Promise.resolve(reader) };
  const readPicture: PictureReader = async (picture) => {
    const reading = await calls.read(reader, picture);
    return "problem" in reading && isTried
      ? { problem: `${reading.problem}; it is tried again` }
      : reading;
  };
  const picturesAtOnce = reader.server === undefined ? PICTURES_AT_ONCE : OWN_PICTURES_AT_ONCE;
  return { readPicture, picturesAtOnce, pageMemory: (...page) => calls.pictureOf(reader, ...page) };
}

async function settle(
  { db, now }: Services,
  file: ClaimedFile,
  { unread = 0, skipped = 0 }: { unread?: number; skipped?: number },
  { hasModel, hasText }: { hasModel: boolean; hasText: boolean },
): Promise<void> {
  // Without any text, the file itself is tried again.
  const imageTries = unread > 0 && hasModel && hasText ? file.imageTries + 1 : 0;
  const waitMs = imageTries > 0 ? nextTryMs(file) : null;
  const imagesDueAt = waitMs === null ? null : now() + waitMs;
  const state = { imagesUnread: unread, imagesSkipped: skipped, imagesDueAt, imageTries };
  const isSame = file.imagesUnread === unread && file.imagesSkipped === skipped;
  if (isSame && imagesDueAt === null && file.imageTries === imageTries) return;
  await labelFailure("database", () => noteImageState(db, file, state, now()));
}

/** Null: nothing reads pictures. */
function readerOf(
  { models }: Pick<Services, "models">,
  name: string | null,
): ImageReader | { problem: string } | null {
  if (name === null) return null;
  try {
    return models.imageReader(name);
  } catch (thrown) {
    return name === DEFAULT_IMAGE_MODEL ? null : { problem: messageOf(thrown) };
  }
}
