import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import { inPieces } from "../../core/bytes/in-pieces.ts";
import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { conflict, QuarryError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { newId } from "../../core/ids.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { forgetMembers } from "../../db/access/member-store.ts";
import {
  countWaitingIndexed,
  deleteImport,
  findEarlierImport,
  findImport,
  insertImport,
  isBuilt,
  leaseImport,
  listImports,
  publishImport,
  readWaitingExclusions,
  reserveGeneration,
  saveImport,
  takeWaitingFiles,
  type ArchiveImport,
} from "../../db/archive/import-store.ts";
import {
  openArchive,
  PIECE_BYTES,
  pieceKey,
  uploadPrefix,
} from "../../ingestion/archive/archive-file.ts";
import type { ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import {
  writeListing,
  writePassages,
  type OpenVersions,
} from "../../ingestion/archive/write-content.ts";
import { tellIndexesOrLater } from "../../ingestion/readers/record-readers.ts";
import { SWEPT_CLAIM_MS } from "../../ingestion/timeouts.ts";
import { takeUnstartedFiles } from "../../db/files/pending-files.ts";
import { emptyIndex } from "../../ingestion/removal/purge-removed-resources.ts";
import type { Services } from "../../services.ts";
import { bytesKey, removeBelow, textKey } from "../../sources/file-objects.ts";
import type { ActionContext } from "../action.ts";
import { planSettings } from "../config/plan.ts";
import { applyRest } from "./rest-of-import.ts";
import { planImport, type WholePlan } from "./plan-import.ts";
import type { ImportWish } from "./rename-things.ts";

/** A call works so long on an import; the next one continues it. */
const CALL_MS = 20 * SECOND_MS;
const LEASE_MS = 2 * MINUTE_MS;
/** The sweep queues the others. */
const QUEUED_FILES = 10_000;

/** Stores the pieces of a body. @returns the id of the import */
export async function storeUpload(services: Services, body: ReadableStream<Uint8Array>) {
  const id = await beginUpload(services);
  let count = 0;
  for await (const piece of inPieces(body, PIECE_BYTES)) {
    await services.files.put(pieceKey(id, count++), piece);
  }
  return id;
}

/** Uploads and dry runs that nobody ended are removed after a day. */
export async function beginUpload(services: Services): Promise<string> {
  const { db, now } = services;
  const id = newId(now());
  for (const row of await listImports(db)) {
    if (!isPlanned(row) && row.createdAt < now() - DAY_MS) await giveUpImport(services, row);
  }
  await insertImport(db, { id, createdAt: now() });
  return id;
}

export type ImportState = {
  id: string;
  state: ArchiveImport["state"];
  part: number;
  parts: number;
  plan: WholePlan | null;
};

/**
 * Continues an import for some seconds: checks the archive whole, writes what nobody sees yet, then
 * makes all of it visible in one step. What is refused leaves nothing behind.
 */
export async function continueImport(
  context: ActionContext,
  id: string,
  wish: ImportWish & { dryRun: boolean },
): Promise<ImportState> {
  const services = context.get("services");
  const { db } = services;
  const row = await takeImport(services, id);
  const hasBegun = wish.dryRun && isPlanned(row);
  let earlier: ArchiveImport | null;
  try {
    if (row.state === "done") return stateOf(row, row.part);
    if (hasBegun) throw conflict("This import has begun; end it, or give it up.");
    const archive = await openArchive(services.files, id);
    earlier = wish.dryRun ? null : await findEarlierImport(db, archive.manifestHash, id);
    if (earlier === null) return await new ImportRun(context, row, archive).run(wish);
    await giveUpImport(services, row);
  } catch (thrown) {
    const current = await findImport(db, id);
    // A visible import needs its settings still.
    if (isRefusal(thrown) && !hasBegun && current !== null && current.state !== "settings")
      await giveUpImport(services, current);
    throw thrown;
  } finally {
    await saveImport(db, id, { leasedUntil: 0 });
  }
  return await continueImport(context, earlier.id, wish);
}

const isRefusal = (thrown: unknown) =>
  thrown instanceof QuarryError && (thrown.kind === "invalid" || thrown.kind === "conflict");

/** An import that no other call works on for a while. @throws QuarryError `conflict` */
export async function takeImport({ db, now }: Services, id: string): Promise<ArchiveImport> {
  const row = await leaseImport(db, id, { now: now(), until: now() + LEASE_MS });
  if (row === null) throw conflict("There is no such import, or another call works on it.");
  return row;
}

const planOf = ({ plan }: ArchiveImport): WholePlan =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `run` stored it
  plan as WholePlan;

function stateOf(row: ArchiveImport, parts: number): ImportState {
  const { id, state, part } = row;
  return { id, state, part, parts, plan: isPlanned(row) ? planOf(row) : null };
}

const isPlanned = ({ state }: ArchiveImport) => !/^(?:uploading|check)/.test(state);

class ImportRun {
  readonly #context: ActionContext;
  readonly #services: Services;
  readonly #archive: ArchiveReader;
  readonly #endsAt: number;
  #row: ArchiveImport;

  constructor(context: ActionContext, row: ArchiveImport, archive: ArchiveReader) {
    [this.#context, this.#row, this.#archive] = [context, row, archive];
    this.#services = context.get("services");
    this.#endsAt = this.#services.now() + CALL_MS;
  }

  async run(wish: ImportWish & { dryRun: boolean }): Promise<ImportState> {
    const { manifestHash, names, manifest } = this.#archive;
    if (this.#row.state === "uploading") await this.#save({ state: "checking", manifestHash });
    if (this.#row.state === "checking") {
      const isDone = await this.#each(names, async (name) => {
        const bytes = await this.#archive.bytes(name);
        if (bytes === null || (await sha256Hex(bytes)) !== manifest.parts[name])
          throw damagedArchive(`has a damaged part: ${name}`);
      });
      if (!isDone) return stateOf(this.#row, names.length);
      await this.#save({ state: "checked", part: 0 });
    }
    if (this.#row.state === "checked") {
      const plan = await planImport(this.#services, this.#archive, {
        ...wish,
        rehearse: (settings) =>
          planSettings(this.#context, settings, { prune: false, dryRun: true }),
      });
      if (wish.dryRun) return { ...stateOf(this.#row, 0), plan };
      for (const { replaces, generation } of Object.values(plan.rags)) {
        if (replaces) await reserveGeneration(this.#services.db, generation);
      }
      await this.#save({ state: "writing", plan });
    }
    const units = [...names.filter(isListing), ...names.filter(isPassages)];
    if (this.#row.state === "writing") {
      if (!(await this.#write(units))) return stateOf(this.#row, units.length);
      await this.#publish();
    }
    if (this.#row.state === "settings") await this.#finish();
    return stateOf(this.#row, units.length);
  }

  get #plan(): WholePlan {
    return planOf(this.#row);
  }

  async #save(change: Partial<ArchiveImport>): Promise<void> {
    const leasedUntil = this.#services.now() + LEASE_MS;
    await saveImport(this.#services.db, this.#row.id, { leasedUntil, ...change });
    this.#row = { ...this.#row, ...change };
  }

  /** Works on one part after the other until the time is over. `mayStop`: a later call continues. */
  async #each(units: string[], work: (unit: string) => Promise<void>, mayStop = () => true) {
    let savedAt = this.#services.now();
    for (const [at, unit] of units.entries()) {
      if (at < this.#row.part) continue;
      await work(unit);
      const now = this.#services.now();
      if (!mayStop() || (now < savedAt + SECOND_MS && at + 1 < units.length)) continue;
      savedAt = now;
      await this.#save({ part: at + 1 });
      if (now > this.#endsAt && at + 1 < units.length) return false;
    }
    return true;
  }

  async #write(units: string[]): Promise<boolean> {
    const job = { id: this.#row.id, plan: this.#plan, archive: this.#archive };
    const open: OpenVersions = new Map();
    const work = async (name: string) => {
      if (isListing(name)) await writeListing(this.#services, job, name);
      else await writePassages(this.#services, job, { name, open });
    };
    return await this.#each(units, work, () => open.size === 0);
  }

  async #publish(): Promise<void> {
    const { db, ragIndexes } = this.#services;
    const { sources, rags, now } = this.#plan;
    for (const { id: ragId, sourceId, row, scopes, generation } of Object.values(rags)) {
      const at = { importId: this.#row.id, sourceId };
      const exclusions = await readWaitingExclusions(db, at);
      const indexed = await countWaitingIndexed(db, at, ragId);
      const valuesOf = (kind: string) =>
        exclusions.flatMap(({ file }) => (file["kind"] === kind ? [String(file["value"])] : []));
      const excluded = { paths: valuesOf("file"), passages: valuesOf("passage") };
      let files = 0;
      for (let shard = 0; shard < (generation.shards ?? 1); shard++) {
        const index = ragIndexes({ ragId, generation: generation.generation, shard });
        files += (await index.facts()).files;
        await index.restrictToScopes(row.scopeMode === "scoped" ? scopes : null, excluded);
      }
      if (files !== indexed) throw damagedArchive(`lacks passages: rags.${row.identifier}`);
    }
    const all = { sources: Object.values(sources), rags: Object.values(rags), now };
    // Before permissions count again, so that no search finds members of long ago.
    for (const { id, replaces, row } of all.sources)
      if (replaces && row.permissionsSince !== undefined) await forgetMembers(db, id);
    await publishImport(db, this.#row.id, all);
    this.#row = { ...this.#row, state: "settings" };
    // An index that answers until a new one is built finds no more than that will.
    for (const { id, sourceId } of all.rags.filter(isBuilt)) {
      await showOnlyScopes(this.#services, id);
      await tellIndexesOrLater(this.#services, sourceId);
    }
    for (const { id } of all.rags) {
      const waiting = { claimedUntil: this.#services.now() + SWEPT_CLAIM_MS, limit: QUEUED_FILES };
      await this.#services.queue.index(await takeUnstartedFiles(db, id, waiting));
    }
    await this.#services.wakeClock();
  }

  async #finish(): Promise<void> {
    await applyRest(this.#context, { archive: this.#archive, plan: this.#plan });
    await this.#save({ state: "done" });
    while (!(await removeBelow(this.#services.files, uploadPrefix(this.#row.id))));
  }
}

const isListing = (name: string) => /^files\/[^/]+\.jsonl$/.test(name);
const isPassages = (name: string) => /^rags\/.+\.jsonl$/.test(name);

const FILES_PER_STEP = 250;

/** Removes all that an unfinished import wrote. What is visible stays. */
export async function giveUpImport(
  services: Services,
  row: Pick<ArchiveImport, "id" | "state" | "plan">,
): Promise<void> {
  const { db, files } = services;
  const plan: Partial<WholePlan> = row.state === "writing" ? row.plan : {};
  const { sources = {}, rags = {} } = plan;
  for (const { id: ragId, generation } of Object.values(rags)) {
    const { shards = 1, vectorsIn = "object" } = generation;
    for (let shard = 0; shard < shards; shard++) {
      const address = { ragId, generation: generation.generation, shard, vectorsIn };
      while (!(await emptyIndex(services, address)));
    }
  }
  for (const { id: sourceId } of Object.values(sources)) {
    await deleteStored(services, { importId: row.id, sourceId });
  }
  while (!(await removeBelow(files, uploadPrefix(row.id))));
  await deleteImport(db, row.id);
}

async function deleteStored({ db, files }: Services, at: Parameters<typeof takeWaitingFiles>[1]) {
  const { sourceId } = at;
  for (;;) {
    const some = await takeWaitingFiles(db, at, FILES_PER_STEP);
    if (some.length === 0) return;
    const keys = some.flatMap(({ fileId, file }) => [
      bytesKey({ sourceId, fileId }, String(file["version"])),
      textKey({ sourceId, fileId }, String(file["contentId"])),
    ]);
    await files.delete(keys);
  }
}
