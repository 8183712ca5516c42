import type { FileSourceId } from "../../core/ids.ts";
import type { Env } from "../../env.ts";
import type { RagIndexes } from "../../ports/rag-index.ts";

export const ragIndexes =
  (namespace: Env["RAG_INDEX"]): RagIndexes =>
  ({ ragId, generation, shard }) =>
    namespace.getByName(`${ragId}:${generation}:${shard}`);

/** The single clock object of a deployment. */
export const clockClient = (namespace: Env["CLOCK"]) => async () => {
  await namespace.getByName("clock").wake();
};

/** One object for each drive. */
export const driveDebounceClient =
  (namespace: Env["DRIVE_DEBOUNCE"]) =>
  async (fileSourceId: FileSourceId, startsAtOnce = false) => {
    await namespace.getByName(fileSourceId).notify(fileSourceId, startsAtOnce);
  };
