import { z } from "zod";

import type { FileId, FileSourceId, RagId, ScanRunId } from "../core/ids.ts";

/** What may come out of the queues: written by this or an earlier deployment of the service. */
const id = <Id extends string>() => z.custom<Id>((value) => typeof value === "string");

const fileSourceId = id<FileSourceId>();
const ragId = id<RagId>();
const after = z.string().nullable();

export const scanMessage = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("scan"),
    fileSourceId,
    confirmRemovals: z.boolean(),
    urls: z.array(z.string()).nullable(),
  }),
  z.object({ kind: z.literal("continue-scan"), fileSourceId, runId: id<ScanRunId>() }),
  z.object({ kind: z.literal("apply-scopes"), ragId, after }),
  z.object({ kind: z.literal("reindex"), ragId, after, since: z.number().optional() }),
  z.object({ kind: z.literal("build"), ragId }),
  z.object({
    kind: z.literal("note-held"),
    ragId,
    generation: z.number(),
    shards: z.number(),
    shard: z.number(),
    after: id<FileId>().nullable(),
  }),
  z.object({ kind: z.literal("purge-rag"), ragId }),
  z.object({ kind: z.literal("purge-source"), fileSourceId }),
]);

export const indexMessage = z.object({
  ragId,
  fileId: id<FileId>(),
  revision: z.number(),
  generation: z.number().optional(),
});
