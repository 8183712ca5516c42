import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

import { invalidField, isNotFound, notFound } from "../../core/errors.ts";
import { pointInTime } from "../../core/input/input-fields.ts";
import type { RagRecord } from "../../db/records.ts";
import { degradedAnswer } from "../../http/answers.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { modifiedWithinCondition } from "../../retrieval/retrieval-request.ts";
import type { RetrievedChunk } from "../../retrieval/score-chunks.ts";
import { fileIdOf, readFileId } from "../file-address.ts";
import { search } from "../search.ts";
import { readFileText } from "./file-text.ts";
import { resourceUri } from "./resources.ts";
import { numberOrText, schemaOf } from "./schema-of.ts";
import { coveredRag, coveredRags, type Session } from "./session.ts";

/* `search` and `fetch` as assistants expect them: https://platform.openai.com/docs/mcp */

const RESULTS_LIMIT = 100;
const RESULTS_DEFAULT = 10;
const MAX_QUERY_LENGTH = 10_000;
/** Each is searched on its own; a program that covers more names one. */
const RAGS_LIMIT = 20;

const SearchInput = z.object({
  query: z
    .string()
    .regex(/\S/, "must not be blank")
    .max(MAX_QUERY_LENGTH)
    .describe("What to look for, in full words or as a question."),
  rag: z.string().optional().describe("Identifier of one RAG; by default, all are searched."),
  modifiedAfter: pointInTime
    .optional()
    .describe("Only files changed since an ISO 8601 day (2026-11-30) or time (2026-11-30T09:00Z)."),
  modifiedBefore: pointInTime.optional().describe("Only files changed before such a day or time."),
  topK: numberOrText(z.int().min(1).max(RESULTS_LIMIT).default(RESULTS_DEFAULT)).describe(
    "Maximum number of results.",
  ),
});

const Result = z.object({
  id: z.string().describe("Id of the file, for fetch."),
  title: z.string(),
  url: z.string(),
  text: z.string().describe("The passage."),
  score: z.number().describe("Similarity, 0 to 1."),
  rag: z.string(),
  path: z.string(),
  modifiedAt: z.string().describe("When the file was last changed."),
  page: z.int().nullable(),
  headings: z.array(z.string()),
  start: z.int().describe("Offset of the passage in the file's text."),
  end: z.int(),
});

const Degraded = z
  .object({ occurred: z.literal(true) })
  .describe("Present if a part of the search was down: results may be missing.");

const SearchOutput = z.object({ results: z.array(Result), degraded: Degraded.optional() });

export const SEARCH_TOOL: Tool = {
  name: "search",
  title: "Search documents",
  description:
    "Finds passages by meaning and by words. Returns the best first, each with its file's id, title and place.",
  inputSchema: schemaOf(SearchInput, "input"),
  outputSchema: schemaOf(SearchOutput, "output"),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export async function searchDocuments(session: Session, input: object) {
  const { query, rag, topK, ...modified } = parseOrRefuse(SearchInput, input);
  const { services, caller, signal } = session;
  const rags = rag === undefined ? await allRags(session) : [await findNamedRag(session, rag)];
  const condition = modifiedWithinCondition(modified);
  const request = { rags, queries: [query], topK, condition, caller, signal };
  const { chunks, degradations } = await search(services, request);
  return { results: chunks.map(resultOf), ...degradedAnswer(caller, degradations) };
}

async function findNamedRag(session: Session, rag: string): Promise<RagRecord> {
  try {
    return await coveredRag(session, rag);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    throw notFound("there is no RAG with this identifier; leave out rag to search all");
  }
}

async function allRags(session: Session): Promise<RagRecord[]> {
  const rags = await coveredRags(session);
  if (rags.length <= RAGS_LIMIT) return rags;
  const names = rags.slice(0, RAGS_LIMIT).map(({ identifier }) => identifier);
  const covered = `the token covers ${rags.length} RAGs, among them ${names.join(", ")}`;
  throw invalidField("rag", `is required: ${covered}`);
}

function resultOf({ text, score, source }: RetrievedChunk): z.output<typeof Result> {
  const { ragIdentifier: rag, filePath: path, name, headings, ...place } = source;
  const { modifiedAt, page, start, end } = place;
  return {
    id: fileIdOf({ rag, path }),
    title: [name, ...headings].join(" › "),
    url: source.url ?? resourceUri({ rag, path }),
    text,
    score,
    rag,
    path,
    modifiedAt,
    page,
    headings,
    start,
    end,
  };
}

/** UTF-16 code units that one call returns: more than most models read at once. */
const TEXT_LIMIT = 200_000;
const MAX_ID_LENGTH = 10_000;

const NO_FILE = "id must be that of a search result";

const FetchInput = z.object({
  id: z.string().max(MAX_ID_LENGTH).describe("Id of a search result: RAG/path."),
  start: numberOrText(z.int().min(0).default(0)).describe("Offset to start at, for long files."),
});

const FetchOutput = z.object({
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
  inputSchema: schemaOf(FetchInput, "input"),
  outputSchema: schemaOf(FetchOutput, "output"),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export async function fetchFile(session: Session, input: object) {
  const { id, start } = parseOrRefuse(FetchInput, input);
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
