import { z } from "zod";

import { isObject } from "../core/is-object.ts";
import type { Log } from "../core/log.ts";
import { indexedFile, usageMessage } from "../core/queue-messages.ts";
import type { IndexMessage, UsageMessage } from "../core/queue-messages.ts";
import type { PushedTexts } from "../ports/job-queue.ts";

/** The files of a message of the index queue: one, or several small ones, and texts of theirs. */
export type IndexWork = { files: IndexMessage[]; texts: PushedTexts };

export const indexMessage: z.ZodType<IndexWork> = z.union([
  indexedFile.transform((file) => ({ files: [file], texts: new Map<string, string>() })),
  z
    .object({ files: z.array(indexedFile), texts: z.record(z.string(), z.string()).default({}) })
    .transform(({ files, texts }) => ({ files, texts: new Map(Object.entries(texts)) })),
]);

export type ParsedMessage<Content> = { message: Message; content: Content };

/**
 * The messages that match the schema. An invalid one is a defect: it is logged without its content
 * and acknowledged, because redelivery cannot fix it.
 */
export function parseMessages<Content>(
  log: Log,
  schema: z.ZodType<Content>,
  messages: readonly Message[],
): ParsedMessage<Content>[] {
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
    const results = callsOf(message.body).map((call) => usageMessage.safeParse(call));
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
