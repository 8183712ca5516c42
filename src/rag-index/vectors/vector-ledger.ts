import { MINUTE_MS } from "../../core/clock.ts";
import { folderOf } from "../../core/folders.ts";
import type { ChunkId, VectorId } from "../../core/ids.ts";
import { chunkOfVector } from "../../core/vector-id.ts";
import type {
  LedgerFacts,
  VerificationPage,
  UpsertBatch,
  UpsertedVector,
  VectorLedger,
} from "../../ports/vector-ledger.ts";
import { addToTotals } from "../totals.ts";
import {
  addMissing,
  confirmSeen,
  countInFlight,
  listOf,
  recordUpsert,
  plainUpTo,
  inFlightBatches,
  vectorIdOfRow,
  vectorsToUpsert,
} from "./in-flight-vectors.ts";
import {
  countMoved,
  filesOnTheMove,
  noteFolders,
  queueMoved,
  settleMoved,
} from "./vector-folders.ts";

/**
 * A worker lives 15 minutes at most: what it still sent when its chunk was removed has arrived by
 * then, and is removed the second time.
 */
const REMOVED_AGAIN_AFTER_MS = 16 * MINUTE_MS;
const VERIFIED_UP_TO = "verifiedUpTo";

type PageRow = { chunk: number; id: ChunkId; file: number; path: string };

/** The tables of `VectorLedger`, in the calling thread. */
export class LedgerStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #onInFlightChange: () => void;

  /** `onInFlightChange`: what searches scan beside the vector index is not the same any more. */
  constructor(storage: DurableObjectStorage, onInFlightChange: () => void) {
    this.#onInFlightChange = onInFlightChange;
    this.#storage = storage;
    this.#sql = storage.sql;
  }

  inFlightBatches(limit: number) {
    return inFlightBatches(this.#sql, limit);
  }

  confirmSeen(batches: number[], now: number): void {
    this.#onInFlightChange();
    this.#storage.transactionSync(() => {
      confirmSeen(this.#sql, batches, now);
      settleMoved(this.#sql);
    });
  }

  vectorsToUpsert(sentBefore: number, limit: number) {
    return vectorsToUpsert(this.#sql, sentBefore, limit);
  }

  recordUpsert(vectors: UpsertedVector[], batch: UpsertBatch): void {
    this.#storage.transactionSync(() => {
      noteFolders(this.#sql, recordUpsert(this.#sql, vectors, batch));
    });
  }

  queueMoved(limit: number): number {
    return this.#storage.transactionSync(() => queueMoved(this.#sql, limit));
  }

  facts(): LedgerFacts {
    const { due } = this.#sql
      .exec<{ due: number | null }>("SELECT min(due_at) AS due FROM vector_tombstones")
      .one();
    const inFlight = countInFlight(this.#sql);
    return { inFlight, moved: countMoved(this.#sql), purgeDueAt: due };
  }

  tombstones(now: number, limit: number): VectorId[] {
    const rows = this.#sql.exec<{ id: VectorId }>(
      "SELECT id FROM vector_tombstones WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
      now,
      limit,
    );
    return Array.from(rows, ({ id }) => id);
  }

  confirmRemoved(ids: VectorId[], now: number): void {
    const list = listOf(ids);
    this.#storage.transactionSync(() => {
      const gone = this.#sql.exec(
        `DELETE FROM vector_tombstones WHERE id IN (SELECT value FROM json_each(?))
          AND removed = 1 AND due_at <= ? RETURNING 1`,
        list,
        now,
      );
      addToTotals(this.#sql, { tombstones: -gone.toArray().length });
      this.#sql.exec(
        `UPDATE vector_tombstones SET removed = 1, due_at = ?
          WHERE removed = 0 AND id IN (SELECT value FROM json_each(?))`,
        now + REMOVED_AGAIN_AFTER_MS,
        list,
      );
    });
  }

  nextPageToVerify(limit: number): VerificationPage {
    const [setting] = this.#sql
      .exec<{ value: string }>("SELECT value FROM settings WHERE name = ?", VERIFIED_UP_TO)
      .toArray();
    const after = Number(setting?.value ?? 0);
    const plain = plainUpTo(this.#sql);
    const rows = this.#sql
      .exec<PageRow>(
        `SELECT c.chunk, c.id, c.file, f.path FROM chunks c JOIN files f ON f.file = c.file
          WHERE c.live = 1 AND c.chunk > ? ORDER BY c.chunk LIMIT ?`,
        after,
        limit,
      )
      .toArray();
    const last = rows.at(-1)?.chunk ?? after;
    // Another one in each pass, so that orphans are looked for all over the space in time.
    const sampled = rows[Math.floor(Math.random() * rows.length)];
    const sample = sampled === undefined ? null : this.#vectorOf(sampled.chunk);
    const vectors = this.#thatShouldShow(rows).map((row) => {
      return { vectorId: vectorIdOfRow(row, plain), folder: folderOf(row.path) };
    });
    return { vectors, sample, upTo: last, isLast: rows.length < limit };
  }

  recordVerifiedPage(
    { upTo, isLast }: Parameters<VectorLedger["recordVerifiedPage"]>[0],
    { missing, orphans }: Parameters<VectorLedger["recordVerifiedPage"]>[1],
  ): { missing: number; orphans: number } {
    this.#onInFlightChange();
    return this.#storage.transactionSync(() => {
      const lacking = this.#liveRows(missing).map(({ chunk }) => chunk);
      const added = addMissing(this.#sql, lacking);
      // Without room for all of them the page is verified again when some are back.
      if (added === lacking.length) this.#setVerifiedUpTo(isLast ? 0 : upTo);
      return { missing: added, orphans: this.#addTombstones(this.orphansAmong(orphans)) };
    });
  }

  /** Those that belong to no chunk stored here and have no tombstone. */
  orphansAmong(ids: VectorId[]): VectorId[] {
    const plain = plainUpTo(this.#sql);
    const known = new Set(this.#rows(ids).map((row) => vectorIdOfRow(row, plain)));
    const tombstones = this.#sql.exec<{ id: VectorId }>(
      "SELECT id FROM vector_tombstones WHERE id IN (SELECT value FROM json_each(?))",
      listOf(ids),
    );
    for (const { id } of tombstones) known.add(id);
    return ids.filter((id) => !known.has(id));
  }

  #addTombstones(ids: VectorId[]): number {
    const added = this.#sql.exec(
      `INSERT OR IGNORE INTO vector_tombstones (id) SELECT value FROM json_each(?) RETURNING 1`,
      listOf(ids),
    );
    const count = added.toArray().length;
    addToTotals(this.#sql, { tombstones: count });
    return count;
  }

  #setVerifiedUpTo(upTo: number): void {
    this.#sql.exec(
      `INSERT INTO settings (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      VERIFIED_UP_TO,
      String(upTo),
    );
  }

  /** What is not known to show anyhow, or not in its folder, is not looked for. */
  #thatShouldShow(rows: PageRow[]): PageRow[] {
    const found = this.#sql.exec<{ chunk: number }>(
      "SELECT chunk FROM in_flight_vectors WHERE chunk IN (SELECT value FROM json_each(?))",
      listOf(rows.map(({ chunk }) => chunk)),
    );
    const inFlight = new Set(Array.from(found, ({ chunk }) => chunk));
    const moved = filesOnTheMove(
      this.#sql,
      rows.map(({ file }) => file),
    );
    return rows.filter(({ chunk, file }) => !inFlight.has(chunk) && !moved.has(file));
  }

  #rows(ids: VectorId[]): { chunk: number; id: ChunkId; live: number }[] {
    return this.#sql
      .exec<{ chunk: number; id: ChunkId; live: number }>(
        `SELECT c.chunk, c.id, c.live FROM json_each(?) wanted
          CROSS JOIN chunks c ON c.id = wanted.value`,
        listOf(ids.map(chunkOfVector)),
      )
      .toArray();
  }

  #liveRows(ids: VectorId[]) {
    const plain = plainUpTo(this.#sql);
    const wanted = new Set(ids);
    return this.#rows(ids).filter((row) => row.live === 1 && wanted.has(vectorIdOfRow(row, plain)));
  }

  #vectorOf(chunk: number): Uint8Array | null {
    const [row] = this.#sql
      .exec<{ vector: ArrayBuffer }>("SELECT vector FROM vectors WHERE chunk = ?", chunk)
      .toArray();
    return row === undefined ? null : new Uint8Array(row.vector);
  }
}
