import { conflict } from "../../core/errors.ts";
import type { FileId, RagId } from "../../core/ids.ts";
import {
  noteHeldFiles,
  reopenGeneration,
  returnableGeneration,
} from "../../db/generations/generation-return.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "../../catalog/rags/show-only-scopes.ts";
import { wantedIndex } from "./reindex-rag.ts";

const FILES_PER_STEP = 1_000;

/**
 * Goes back to the index that answered before the last change of settings, while it is kept. It
 * is brought up to date first; until then what is live answers.
 * @throws QuarryError `conflict` when there is none any more.
 */
export async function returnToIndex(
  services: Services,
  { ragId }: { ragId: RagId },
): Promise<void> {
  const wanted = wantedIndex(services);
  const returnable = await returnableGeneration(services.db, ragId, wanted);
  const of = { wanted, now: services.now() };
  const isOpen =
    returnable !== null && (await reopenGeneration(services.db, ragId, returnable, of));
  if (!isOpen) throw conflict("There is no earlier index to go back to");
  await showOnlyScopes(services, ragId);
  const { generation, shards } = returnable;
  const start = { kind: "note-held", ragId, generation, shards, shard: 0, after: null } as const;
  await services.queue.scan(start);
}

type Step = {
  ragId: RagId;
  generation: number;
  shards: number;
  shard: number;
  after: FileId | null;
};

/** Notes what a reopened generation holds, a page at a time; what differs is then built. */
export async function noteHeld(services: Services, step: Step): Promise<void> {
  const { ragId, generation, shards, shard, after } = step;
  const index = services.ragIndexes({ ragId, generation, shard });
  const held = await index.listFiles(after, FILES_PER_STEP);
  await noteHeldFiles(services.db, { ragId, generation }, held);
  const last = held.length < FILES_PER_STEP ? null : (held.at(-1)?.fileId ?? null);
  if (last !== null) {
    return await services.queue.scan({ kind: "note-held", ...step, after: last });
  }
  if (shard + 1 < shards) {
    const next = { ...step, shard: shard + 1, after: null };
    return await services.queue.scan({ kind: "note-held", ...next });
  }
  await services.queue.scan({ kind: "build", ragId });
}
