import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

import { isNotFound, notFound } from "../../core/errors.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { readFileId } from "../file-address.ts";
import { readFileText } from "./file-text.ts";
import { resourceUri } from "./resources.ts";
import { numberOrText, schemaOf } from "./schema-of.ts";
import type { Session } from "./session.ts";

/** UTF-16 code units that one call returns: more than most models read at once. */
const TEXT_LIMIT = 200_000;
const MAX_ID_LENGTH = 10_000;

const NO_FILE = "id must be that of a search result";

const Input = z.object({
  id: z.string().max(MAX_ID_LENGTH).describe("Id of a search result: RAG/path."),
  start: numberOrText(z.int().min(0).default(0)).describe("Offset to start at, for long files."),
});

const Output = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string().describe("The file as it was read, as Markdown."),
  url: z.string(),
  metadata: z.object({
    rag: z.string(),
    path: z.string(),
    mimeType: z.string(),
    size: z.int().describe("Bytes of the file."),
    length: z.int().describe("Characters of its whole text."),
    next: z.int().nullable().describe("start of the next part; null if this is the last."),
  }),
});

export const FETCH_TOOL: Tool = {
  name: "fetch",
  title: "Read a file",
  description: "Returns the text of a file that search found, with its metadata.",
  inputSchema: schemaOf(Input, "input"),
  outputSchema: schemaOf(Output, "output"),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export async function fetchFile(session: Session, input: object) {
  const { id, start } = parseOrRefuse(Input, input);
  const address = readFileId(id);
  if (address === null) throw notFound(NO_FILE);
  const { rag } = address;
  const part = { start, limit: TEXT_LIMIT };
  const { file, text, length, next } = await readFileText(session, address, part).catch(
    (thrown: unknown) => {
      throw isNotFound(thrown) ? notFound(NO_FILE) : thrown;
    },
  );
  const { path, name: title, mimeType, size } = file;
  const url = resourceUri({ rag, path });
  return { id, title, text, url, metadata: { rag, path, mimeType, size, length, next } };
}
