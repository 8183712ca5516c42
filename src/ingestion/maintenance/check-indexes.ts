import { shardOf } from "../../core/hash.ts";
import type { FileId } from "../../core/ids.ts";
import { attempt } from "../../core/log.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { readCountedFiles, resetToPending } from "../../db/maintenance/index-check-store.ts";
import { listQuietIndexes } from "../../db/maintenance/index-check-store.ts";
import type { CountedFile, CountedIndex } from "../../db/maintenance/index-check-store.ts";
import type { RagIndex } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { timesFrom } from "../timeouts.ts";
import { purgeTombstones } from "../vector-sync/upsert-vectors.ts";

const INDEXES_PER_TURN = 3;
const FILES_PER_PAGE = 1_000;

/** Compares D1's counts with what some of the indexes store, and repairs differences. */
export async function checkIndexes(services: Services): Promise<void> {
  const turn = Math.floor(services.now() / MINUTE_MS);
  for (const index of await listQuietIndexes(services.db, turn, INDEXES_PER_TURN)) {
    const { ragId } = index;
    await attempt(services.log, "index not checked", { ragId }, () => checkIndex(services, index));
  }
}

async function checkIndex(services: Services, index: CountedIndex): Promise<void> {
  const { ragId, generation, shards, numberVectors } = index;
  const numbers = Array.from({ length: shards }, (_, shard) => shard);
  const addresses = numbers.map((shard) => ({ ragId, generation, shard }));
  const facts = await Promise.all(addresses.map((address) => services.ragIndexes(address).facts()));
  for (const [at, address] of addresses.entries()) {
    if ((facts[at]?.tombstones ?? 0) > 0) await purgeTombstones(services, address);
  }
  const chunkCount = facts.reduce((sum, { chunks }) => sum + chunks, 0);
  if (chunkCount === numberVectors) return;
  services.log.warn("index differs from its count", {
    ragId,
    stored: chunkCount,
    counted: numberVectors,
  });
  for (const address of addresses) {
    await repairShard(services, index, address.shard, services.ragIndexes(address));
  }
}

type Entry = { fileId: FileId; revision: number; chunkCount: number };

/** Walks both lists in order of id, page by page, as far as both are known. */
async function repairShard(
  services: Services,
  indexCount: CountedIndex,
  shard: number,
  index: RagIndex,
): Promise<void> {
  const { shards } = indexCount;
  let after: FileId | null = null;
  for (;;) {
    const [entries, rows]: [Entry[], CountedFile[]] = await Promise.all([
      index.listFiles(after, FILES_PER_PAGE),
      readCountedFiles(services.db, indexCount, after ?? "", FILES_PER_PAGE),
    ]);
    const last = earliestEnd(entries, rows);
    const isWithinPage = ({ fileId }: { fileId: FileId }) => last === null || fileId <= last;
    const own = rows.filter((row) => isWithinPage(row) && shardOf(row.fileId, shards) === shard);
    const { unwanted, wrong } = differences(entries.filter(isWithinPage), own);
    if (unwanted.length > 0) await index.remove(unwanted);
    if (wrong.length > 0) {
      const times = timesFrom(services.now());
      await services.queue.index(await resetToPending(services.db, indexCount, wrong, times));
    }
    if (last === null) return;
    after = last;
  }
}

/** The last file id up to which both pages are complete; null: to the end. */
function earliestEnd(...pages: { fileId: FileId }[][]): FileId | null {
  const ends = pages.flatMap((page) =>
    page.length < FILES_PER_PAGE ? [] : (page.at(-1)?.fileId ?? []),
  );
  return ends.sort((a, b) => (a < b ? -1 : 1))[0] ?? null;
}

/** Files that are being indexed are not compared. */
const AT_REST = new Set(["indexed", "error"]);
/** Files that no index is to have. */
const GONE = new Set(["deleted", "leaving"]);

/** Files that the index shows and D1 does not, and files whose chunk counts differ. */
function differences(entries: Entry[], rows: CountedFile[]) {
  const entryById = new Map(entries.map((entry) => [entry.fileId, entry]));
  const rowById = new Map(rows.map((row) => [row.fileId, row]));
  const unwanted = entries
    .filter(({ fileId }) => GONE.has(rowById.get(fileId)?.status ?? "deleted"))
    .map(({ fileId, revision }) => ({
      fileId,
      revision: Math.max(revision + 1, rowById.get(fileId)?.revision ?? 0),
    }));
  const wrong = rows
    .filter(
      ({ fileId, status, chunkCount }) =>
        AT_REST.has(status) && chunkCount !== (entryById.get(fileId)?.chunkCount ?? 0),
    )
    .map(({ fileId }) => fileId);
  return { unwanted, wrong };
}
