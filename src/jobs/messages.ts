import { z } from "zod";

import type { EvaluationRunId, FileId, FileSourceId, RagId, ScanRunId } from "../core/ids.ts";
import { isObject } from "../core/is-object.ts";
import type { Log } from "../core/log.ts";
import type { IndexMessage, PushedTexts, ScanMessage, UsageMessage } from "../ports/job-queue.ts";

/** Message formats that queues may deliver: of this or an earlier deployment. */
const id = <Id extends string>() => z.custom<Id>((value) => typeof value === "string");

const fileSourceId = id<FileSourceId>();
const ragId = id<RagId>();
const after = z.string().nullable();

export const scanMessage: z.ZodType<ScanMessage> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("scan"),
    fileSourceId,
    confirmRemovals: z.boolean(),
    urls: z.array(z.string()).nullable(),
  }),
  z.object({ kind: z.literal("continue-scan"), fileSourceId, runId: id<ScanRunId>() }),
  z.object({ kind: z.literal("apply-scopes"), ragId, after, revision: z.number().optional() }),
  z.object({ kind: z.literal("reindex"), ragId, after, since: z.number().optional() }),
  z.object({ kind: z.literal("build"), ragId }),
  z.object({ kind: z.literal("purge-rag"), ragId }),
  z.object({ kind: z.literal("purge-source"), fileSourceId }),
  z.object({ kind: z.literal("evaluate"), runId: id<EvaluationRunId>() }),
]);

const indexedFile: z.ZodType<IndexMessage> = z.object({
  ragId,
  fileId: id<FileId>(),
  revision: z.number(),
  generation: z.number(),
});

/** The files of a message of the index queue: one, or several small ones, and texts of theirs. */
export type IndexWork = { files: IndexMessage[]; texts: PushedTexts };

export const indexMessage: z.ZodType<IndexWork> = z.union([
  indexedFile.transform((file) => ({ files: [file], texts: new Map<string, string>() })),
  z
    .object({ files: z.array(indexedFile), texts: z.record(z.string(), z.string()).default({}) })
    .transform(({ files, texts }) => ({ files, texts: new Map(Object.entries(texts)) })),
]);

const usageOfCall: z.ZodType<UsageMessage> = z.object({
  id: z.string(),
  at: z.number(),
  kind: z.enum(["inference", "agent", "retrieve", "index"]),
  inferenceId: z.string().nullable(),
  agentId: z.string().nullable(),
  ragIds: z.array(z.string()),
  tokenId: z.string().nullable(),
  model: z.string().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cost: z.number().nullable(),
  currency: z.string().nullable(),
  latencyMs: z.number(),
  outcome: z.enum(["ok", "degraded", "error"]),
  uses: z
    .array(
      z.object({
        kind: z.enum(["embedding", "reranker"]),
        model: z.string(),
        ragIds: z.array(z.string()),
        calls: z.number(),
        latencyMs: z.number(),
        inputTokens: z.number(),
        failed: z.boolean(),
      }),
    )
    .optional(),
});

/** A queue message and its validated content. */
export type Parsed<Content> = { message: Message; content: Content };

/**
 * The messages that match the schema. An invalid one is a defect: it is logged without its content
 * and acknowledged, because redelivery cannot fix it.
 */
export function parseMessages<Content>(
  log: Log,
  schema: z.ZodType<Content>,
  messages: readonly Message[],
): Parsed<Content>[] {
  return messages.flatMap((message) => {
    const { data, error } = schema.safeParse(message.body);
    if (data !== undefined) return [{ message, content: data }];
    logDefect(log, message, error?.issues ?? []);
    message.ack();
    return [];
  });
}

/**
 * The usage in messages of the usage queue. A call that does not match the schema, for example of a
 * later deployment, is logged and left out; the others of its message count.
 */
export function parseUsage(log: Log, messages: readonly Message[]): UsageMessage[] {
  return messages.flatMap((message) => {
    const results = callsOf(message.body).map((call) => usageOfCall.safeParse(call));
    const issues = results.flatMap(({ error }) => error?.issues ?? []);
    const usage = results.flatMap(({ data }) => data ?? []);
    if (issues.length > 0) logDefect(log, message, issues);
    if (usage.length === 0) message.ack();
    return usage;
  });
}

/** The calls of a message: one, or those of a second. */
const callsOf = (body: unknown): unknown[] =>
  isObject(body) && Array.isArray(body["calls"]) ? body["calls"] : [body];

function logDefect(log: Log, { id }: Message, issues: readonly z.core.$ZodIssue[]): void {
  const fields = new Set(issues.map(({ path }) => path.join(".")));
  log.error("message not understood", { id, fields: [...fields].join(", ") });
}
