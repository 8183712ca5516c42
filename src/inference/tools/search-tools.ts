import type { ToolSet } from "ai";
import { z } from "zod";

import { readersOf } from "../../access/readers.ts";
import { reasonOf } from "../../core/errors.ts";
import type { ModelUse } from "../../core/queue-messages.ts";
import { TimeTogether } from "../../core/work/time-together.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Restriction } from "../../ports/rag-index.ts";
import type { RetrievalRequest } from "../../retrieval/retrieval-request.ts";
import { retrieve } from "../../retrieval/retrieve.ts";
import type { RetrievedChunk } from "../../retrieval/score-chunks.ts";
import { applySearchMode, type AskedMode } from "../../retrieval/search-mode.ts";
import { passagesNotice, writePassages } from "../../text/prompt-delimiters.ts";
import { passageOf, selectFitting, type PromptParts } from "../assemble-prompt.ts";
import type { EmitEvent } from "../run-events.ts";
import type { InferenceServices, ToolCall } from "../types.ts";

/** Searches per turn, however many the model asks for at once. */
const MAX_SEARCHES = 20;
/** Share of the model's window, for all search results together and for one. */
const CONTEXT_SHARE = 0.5;
const RESULT_SHARE = 0.2;
/** Tool names are at most 64 characters long with the strictest provider. */
const NAME_LENGTH = 64;

export type SearchSettings = Omit<RetrievalRequest, "targets" | "queries"> &
  AskedMode & {
    restrictionOf: (rag: RagRecord) => Restriction;
  };

export type SearchLog = {
  calls: ToolCall[];
  /** Each passage once, in the order in which it was found; its number in prompts is place + 1. */
  items: RetrievedChunk[];
  /** The place of each passage in `items`. */
  places: Map<string, number>;
  degradations: Set<string>;
  /** Calls of embedding and reranking models. */
  uses: ModelUse[];
  searching: TimeTogether;
  rerankingMs: number;
};

/**
 * Times of the turn's searches; reranking is never longer than the searches of which it is a part.
 */
export function timesOf({ searching, rerankingMs: summed }: SearchLog) {
  const rerankingMs = Math.min(summed, searching.ms);
  return { contextMs: searching.ms - rerankingMs, rerankingMs };
}

export const newSearchLog = (uses: ModelUse[], now: () => number): SearchLog => ({
  calls: [],
  items: [],
  places: new Map(),
  degradations: new Set(),
  uses,
  searching: new TimeTogether(now),
  rerankingMs: 0,
});

export type SearchTurn = Pick<PromptParts, "contextTokens" | "tokenizer" | "key" | "howToCite"> & {
  services: InferenceServices;
  settings: SearchSettings;
  /** Tokens of the window that the messages, the caller's functions and the answer leave. */
  room: number;
  log: SearchLog;
  emit?: EmitEvent | undefined;
};

const SearchInput = z.object({
  query: z
    .string()
    .describe("What to look for, in full words or as a question.")
    .refine((query) => query.trim() !== "", "must not be blank"),
});

/** Without the `$schema` for which Gemini and strict servers refuse a whole request. */
const { $schema: _, ...searchSchema }: Record<string, unknown> = z.toJSONSchema(SearchInput);

/** One search tool a RAG, named and described after it. */
export async function searchTools(turn: SearchTurn, rags: RagRecord[]): Promise<ToolSet> {
  // Refused here: a tool's failure goes to the model, which cannot name the reader.
  for (const rag of rags) readersOf(rag);
  const { jsonSchema, tool } = await import("../ai-sdk.ts");
  const inputSchema = jsonSchema<z.output<typeof SearchInput>>(searchSchema, {
    validate(input) {
      const { data: value, error } = SearchInput.safeParse(input);
      return error === undefined ? { success: true, value } : { success: false, error };
    },
  });
  const budget = { left: Math.min(turn.contextTokens * CONTEXT_SHARE, turn.room), started: 0 };
  return Object.fromEntries(
    rags.map((rag, at) => {
      const name = toolName(rag.identifier, at);
      const search = tool({
        description: describe(rag),
        inputSchema,
        execute: ({ query }, { toolCallId, abortSignal }) =>
          recordSearch(turn, { id: toolCallId, tool: name, input: { query } }, () =>
            searchOnce(turn, budget, rag, query, abortSignal),
          ),
      });
      return [name, search];
    }),
  );
}

/** The names under which a turn's searches are offered, in the order of the RAGs. */
export const searchToolNames = (rags: Pick<RagRecord, "identifier">[]): string[] =>
  rags.map(({ identifier }, at) => toolName(identifier, at));

/** `search_staff_handbook`; identifiers that would be cut get their number. */
function toolName(identifier: string, at: number): string {
  const name = `search_${identifier.replaceAll("-", "_")}`;
  return name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH - 4)}_${at + 1}`;
}

function describe({ name, totalFiles, fileSource, readersSince }: RagRecord): string {
  const size = totalFiles === 1 ? "1 document" : `${totalFiles} documents`;
  // Nobody counts how many of them the reader may read.
  const orders = readersSince === null ? size : "documents";
  return [
    `Searches "${name}" (${orders} from ${fileSource.name}) by meaning and by words, and returns`,
    "the passages that match best, with their sources. Call it again with other words when the",
    "passages do not answer the question.",
  ].join(" ");
}

type StartedSearch = Pick<ToolCall, "id" | "tool"> & { input: z.output<typeof SearchInput> };

/** Records the call for `toolCalls`; the SDK's loop reports a failure to the model. */
async function recordSearch(
  { services, log, emit }: SearchTurn,
  { id, tool: name, input }: StartedSearch,
  work: () => Promise<string>,
): Promise<string> {
  const startedAt = services.now();
  const add = async (ok: boolean, output: string) => {
    const debug = { input, output, durationMs: services.now() - startedAt };
    log.calls.push({ id, tool: name, ok, debug });
    await emit?.({ type: "tool", id, tool: name, state: "finished", ok });
  };
  await emit?.({ type: "tool", id, tool: name, state: "started" });
  let output: string;
  try {
    output = await work();
  } catch (thrown) {
    log.degradations.add(`${name}: ${reasonOf(thrown)}`);
    await add(false, reasonOf(thrown));
    throw thrown;
  }
  await add(true, output);
  return output;
}

async function searchOnce(
  { services, settings, contextTokens, tokenizer, key, howToCite, log, emit }: SearchTurn,
  budget: { left: number; started: number },
  rag: RagRecord,
  query: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  budget.started += 1;
  if (budget.started > MAX_SEARCHES) throw new Error("too many searches in one turn");
  const { restrictionOf, ...defaults } = settings;
  const targets = [{ rag: applySearchMode(rag, settings), restriction: restrictionOf(rag) }];
  const request = { ...defaults, targets, queries: [query] };
  const result = await log.searching.measure(() => retrieve(services, request, { signal }));
  log.rerankingMs += result.timings.rerankingMs;
  log.uses.push(...result.uses);
  for (const loss of result.degradations) log.degradations.add(loss);
  if (result.chunks.length === 0 && result.degradations.length > 0)
    throw new Error("the search failed");
  if (result.chunks.length === 0) return "Nothing was found.";
  const room = Math.min(budget.left, contextTokens * RESULT_SHARE);
  const { shown: visible, tokens } = selectFitting(result.chunks, room, tokenizer);
  const leftOut = result.chunks.length - visible.length;
  if (leftOut > 0) {
    log.degradations.add(`context: ${leftOut} of ${result.chunks.length} passages had no room`);
  }
  if (visible.length === 0) throw new Error("no room is left for more passages");
  // Parallel searches share one budget: what one takes, the others no longer have.
  budget.left -= tokens;
  const itemCount = log.items.length;
  const numbers = visible.map((chunk) => storePassage(log, chunk) + 1);
  const items = log.items.slice(itemCount);
  await emit?.({ type: "retrieval", items, degradations: result.degradations });
  return `${passagesNotice(key, howToCite)}\n\n${writePassages(visible.map(passageOf), key, numbers)}`;
}

/** The passage's place in `items`. */
function storePassage({ items, places }: SearchLog, chunk: RetrievedChunk): number {
  const { ragIdentifier, filePath, position } = chunk.source;
  const id = JSON.stringify([ragIdentifier, filePath, position]);
  const place = places.get(id);
  if (place === undefined) {
    places.set(id, items.length);
    return items.push(chunk) - 1;
  }
  if ((items[place]?.score ?? 0) < chunk.score) items[place] = chunk;
  return place;
}
