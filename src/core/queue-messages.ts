import { z } from "zod";

import type { EvaluationRunId, FileId, FileSourceId, RagId, ScanRunId } from "./ids.ts";

/** Messages of queues, of this or an earlier deployment. */

const id = <Id extends string>() => z.custom<Id>((value) => typeof value === "string");

const fileSourceId = id<FileSourceId>();
const ragId = id<RagId>();

/** Work on a source, on all files of a RAG, or on an evaluation. */
export const scanMessage = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("scan"),
    fileSourceId,
    confirmRemovals: z.boolean(),
    urls: z.array(z.string()).nullable(),
  }),
  /** The next page of a listing in progress. */
  z.object({ kind: z.literal("continue-scan"), fileSourceId, runId: id<ScanRunId>() }),
  /** Page by page; later pages have the scopes' `revision` when the walk began. */
  z.object({
    kind: z.literal("apply-scopes"),
    ragId,
    after: z.string().nullable(),
    revision: z.number().optional(),
  }),
  /** Builds the RAG's index again if its settings require it; with `since` (ms), in any case. */
  z.object({ kind: z.literal("reindex"), ragId, since: z.number().optional() }),
  /** Continues the generation that is being built while the live one answers. */
  z.object({ kind: z.literal("build"), ragId }),
  /** Deletes all data of a removed RAG or file source, page by page. */
  z.object({ kind: z.literal("purge-rag"), ragId }),
  z.object({ kind: z.literal("purge-source"), fileSourceId }),
  /** Gives a copy of a source its RAGs, and files behind a path; `isChanged`: as this round did before. */
  z.object({
    kind: z.literal("copy-source"),
    fileSourceId,
    after: z.string().nullable(),
    isChanged: z.boolean().default(false),
  }),
  z.object({ kind: z.literal("evaluate"), runId: id<EvaluationRunId>() }),
]);
export type ScanMessage = z.infer<typeof scanMessage>;

/** Indexes one file in one generation of a RAG's index, if `revision` is still the newest. */
export const indexedFile = z.object({
  ragId,
  fileId: id<FileId>(),
  revision: z.number(),
  generation: z.number(),
});
export type IndexMessage = z.infer<typeof indexedFile>;

/**
 * One use of an embedding model or reranker by a call, or of these and what reads pictures by
 * indexing; the consumer adds prices.
 */
const modelUse = z.object({
  kind: z.enum(["embedding", "reranker", "image"]),
  model: z.string(),
  /** The RAGs that it was used for. */
  ragIds: z.array(z.string()),
  /** Number of requests to the model, and their mean time. */
  calls: z.number(),
  latencyMs: z.number(),
  /** As the provider counts them; estimated where it does not report them. */
  inputTokens: z.number(),
  /** Only of models that read pictures. */
  outputTokens: z.number().optional(),
  failed: z.boolean(),
});
export type ModelUse = z.infer<typeof modelUse>;

/** Usage of one call, or of an indexing batch; a second delivery is recognised by `id`. */
export const usageMessage = z.object({
  id: z.string(),
  at: z.number(),
  /** `index` is not a call: only its models and tokens are counted. */
  kind: z.enum(["inference", "agent", "retrieve", "index"]),
  inferenceId: z.string().nullable(),
  agentId: z.string().nullable(),
  ragIds: z.array(z.string()),
  tokenId: z.string().nullable(),
  model: z.string().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** In `currency`; null when the model has no price. */
  cost: z.number().nullable(),
  currency: z.string().nullable(),
  latencyMs: z.number(),
  outcome: z.enum(["ok", "degraded", "error"]),
  /** Models besides the chat model; messages of earlier deployments have none. */
  uses: z.array(modelUse).optional(),
});
export type UsageMessage = z.infer<typeof usageMessage>;
