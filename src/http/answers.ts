import { isoTime } from "../core/time.ts";
import type { LinkedSource } from "../db/access/public-lists.ts";
import type { PublicFile } from "../db/files/public-files.ts";
import type { RagRecord } from "../db/records.ts";
import type { InferenceResult, ToolCall } from "../inference/types.ts";
import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import type { Caller } from "./caller.ts";

/** `degraded` as this caller may see it; absent when nothing was degraded. */
export function degradedAnswer(caller: Pick<Caller, "isAdmin">, degradations: string[]) {
  if (degradations.length === 0) return {};
  const occurred = true as const;
  return {
    degraded: caller.isAdmin ? { occurred, message: degradations.join("; ") } : { occurred },
  };
}

/** A chunk is its text and score; its origin is included on request. */
export function chunkAnswer(chunk: RetrievedChunk, includeSources: boolean | undefined) {
  const { text, score, source } = chunk;
  return includeSources === true ? { text, score, source } : { text, score };
}

/** The common answer of an inference run and an agent turn, as this caller may see it. */
export function runAnswer(
  result: Omit<InferenceResult, "response">,
  options: { includeSources?: boolean | undefined; includeSystemPrompt: boolean },
  caller: Caller,
) {
  const { items, toolCalls, systemPrompt, degradations, timings } = result;
  const { inputTokens, outputTokens, totalTokens, cost } = result.usage;
  return {
    items: items.map((chunk) => chunkAnswer(chunk, options.includeSources)),
    toolCalls: toolCalls.map((call) => toolCallFor(caller, call)),
    ...(options.includeSystemPrompt ? { systemPrompt } : {}),
    ...degradedAnswer(caller, degradations),
    ...(caller.isAdmin ? { timings, usage: { inputTokens, outputTokens, totalTokens, cost } } : {}),
  };
}

function toolCallFor({ isAdmin }: Caller, { id, tool, ok, debug }: ToolCall) {
  return isAdmin ? { id, tool, ok, debug } : { id, tool, ok };
}

/** A file as the list of an inference shows it. */
export function fileAnswer(file: PublicFile) {
  const { path, name, status, indexedAt, size, mimeType } = file;
  return {
    filePath: path,
    name,
    status,
    indexedAt: timeOrNull(indexedAt),
    size,
    mimeType,
    errorMessage: reasonOf(file),
  };
}

/** The state of a single file. */
export function fileStateAnswer(file: PublicFile) {
  const { name, size, status, indexedAt } = file;
  return { name, size, status, indexedAt: timeOrNull(indexedAt), errorMessage: reasonOf(file) };
}

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));
const reasonOf = ({ status, errorMessage }: PublicFile) =>
  status === "error" ? errorMessage : null;

export function linkedSourceOf({ identifier, name, fileSource }: RagRecord): LinkedSource {
  const { identifier: source, provider } = fileSource;
  return { ragIdentifier: identifier, ragName: name, identifier: source, provider };
}
