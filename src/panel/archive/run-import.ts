import { showOnlyScopes } from "../../catalog/rags/enforce-scopes.ts";
import { cutIntoPieces } from "../../core/bytes/cut-into-pieces.ts";
import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { busy, conflict, notFound, QuarryError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { newId } from "../../core/ids.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { forgetMembers } from "../../db/access/member-store.ts";
import { countWaitingIndexed, findEarlierImport } from "../../db/archive/import-store.ts";
import { findImport, insertImport, isBuilt, leaseImport } from "../../db/archive/import-store.ts";
import { listConflicts, listImports, publishImport } from "../../db/archive/import-store.ts";
import { readWaitingExclusions, reserveGeneration } from "../../db/archive/import-store.ts";
import { saveImport, deleteImport, takeWaitingFiles } from "../../db/archive/import-store.ts";
import type { ArchiveImport } from "../../db/archive/import-store.ts";
import { takeUnstartedFiles } from "../../db/files/pending-files.ts";
import { openArchive, PIECE_BYTES, pieceKey } from "../../ingestion/archive/archive-file.ts";
import { uploadPrefix, type ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import { importPrefix } from "../../ingestion/archive/archive-file.ts";
import { writeListing, writePassages } from "../../ingestion/archive/write-content.ts";
import type { OpenVersions } from "../../ingestion/archive/write-content.ts";
import { sendReadersOrLater } from "../../ingestion/readers/record-readers.ts";
import { emptyIndex } from "../../ingestion/removal/purge-removed-resources.ts";
import { SWEPT_CLAIM_MS } from "../../ingestion/timeouts.ts";
import type { Services } from "../../services.ts";
import { removeBelow, bytesKey, textKey } from "../../sources/file-objects.ts";
import type { ActionContext } from "../action.ts";
import type { Values } from "../config/kinds.ts";
import { planSettings } from "../config/plan.ts";
import { planImport, readPlan, storePlan, type WholePlan } from "./plan-import.ts";
import type { ImportWish } from "./rename-things.ts";
import { applyRest } from "./rest-of-import.ts";

/** A call works so long on an import; the next one continues it. */
const CALL_MS = 20 * SECOND_MS;
const LEASE_MS = 2 * MINUTE_MS;
/** A call that lives is over by then; commands try again more often than a lease is long. */
const RETRY_SECONDS = 25;
/** The sweep queues the others. */
const QUEUED_FILES = 10_000;

/** Stores the pieces of a body. @returns the id of the import */
export async function storeUpload(services: Services, body: ReadableStream<Uint8Array>) {
  const id = await beginUpload(services);
  let count = 0;
  for await (const piece of cutIntoPieces(body, PIECE_BYTES)) {
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

export type ImportState = Pick<ArchiveImport, "id" | "state" | "part"> & {
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
  try {
    if (row.state === "done") {
      return stateOf(row, { parts: row.part, plan: await readPlan(services.files, id) });
    }
    if (hasBegun) throw conflict("This import has begun; end it, or give it up.");
    const archive = await openArchive(services.files, id);
    const earlier = wish.dryRun ? null : await findEarlierImport(db, archive.manifestHash, id);
    if (earlier === null) return await new ImportRun(context, row, archive).run(wish);
    const state = await continueImport(context, earlier.id, wish);
    await giveUpImport(services, row);
    return state;
  } catch (thrown) {
    const current = await findImport(db, id);
    if (!isRefusal(thrown) || hasBegun || current === null) throw thrown;
    // Another call has ended the import, and this one met what it made.
    if (current.state === "done") throw importBusy();
    // A visible import needs its settings still.
    if (current.state !== "settings") await giveUpImport(services, current);
    throw thrown;
  } finally {
    await saveImport(db, id, { leasedUntil: 0 });
  }
}

const isRefusal = (thrown: unknown) =>
  thrown instanceof QuarryError && (thrown.kind === "invalid" || thrown.kind === "conflict");

/** An import that no other call works on for a while. @throws QuarryError `busy`, `not-found` */
export async function takeImport({ db, now }: Services, id: string): Promise<ArchiveImport> {
  const row = await leaseImport(db, id, { now: now(), until: now() + LEASE_MS });
  if (row !== null) return row;
  if ((await findImport(db, id)) === null) throw notFound("there is no such import");
  throw importBusy();
}

const importBusy = () => busy("Another call works on this import", RETRY_SECONDS);

const stateOf = (
  { id, state, part }: ArchiveImport,
  progress: Pick<ImportState, "parts" | "plan">,
): ImportState => ({ id, state, part, ...progress });

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
      const isDone = await this.#runEach(names, async (name) => {
        const bytes = await this.#archive.bytes(name);
        if (bytes === null || (await sha256Hex(bytes)) !== manifest.parts[name])
          throw damagedArchive(`has a damaged part: ${name}`);
      });
      if (!isDone) return stateOf(this.#row, { parts: names.length, plan: null });
      await this.#save({ state: "checked", part: 0 });
    }
    const plan = await this.#readOrMakePlan(wish);
    if (wish.dryRun) return stateOf(this.#row, { parts: 0, plan });
    if (this.#row.state === "checked") {
      for (const { replaces, generation } of Object.values(plan.rags)) {
        if (replaces) await reserveGeneration(this.#services.db, generation);
      }
      await storePlan(this.#services.files, this.#row.id, plan);
      await this.#save({ state: "writing" });
    }
    const units = [...names.filter(isListing), ...names.filter(isPassages)];
    const progress = { parts: units.length, plan };
    if (this.#row.state === "writing") {
      if (!(await this.#write(plan, units))) return stateOf(this.#row, progress);
      await this.#publish(plan);
    }
    if (this.#row.state === "settings") await this.#finish(plan);
    return stateOf(this.#row, progress);
  }

  async #readOrMakePlan(wish: ImportWish & { dryRun: boolean }): Promise<WholePlan> {
    if (isPlanned(this.#row)) {
      const plan = await readPlan(this.#services.files, this.#row.id);
      const hasAccess = Object.values(plan?.access ?? {}).some((rows) => rows.length > 0);
      if (plan !== null && !(hasAccess && wish.withoutAccess)) return plan;
      throw conflict("This import cannot continue: import the archive again.");
    }
    const rehearse = (settings: Values) =>
      planSettings(this.#context, settings, { prune: false, dryRun: true });
    return await planImport(this.#services, this.#archive, { ...wish, rehearse });
  }

  async #save(change: Partial<ArchiveImport>): Promise<void> {
    const leasedUntil = this.#services.now() + LEASE_MS;
    await saveImport(this.#services.db, this.#row.id, { leasedUntil, ...change });
    this.#row = { ...this.#row, ...change };
  }

  /** Works on one part after the other until the time is over. `mayStop`: a later call continues. */
  async #runEach(units: string[], work: (unit: string) => Promise<void>, mayStop = () => true) {
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

  async #write(plan: WholePlan, units: string[]): Promise<boolean> {
    const job = { id: this.#row.id, plan, archive: this.#archive };
    const open: OpenVersions = new Map();
    const work = async (name: string) => {
      if (isListing(name)) await writeListing(this.#services, job, name);
      else await writePassages(this.#services, job, { name, open });
    };
    return await this.#runEach(units, work, () => open.size === 0);
  }

  async #publish({ sources, rags, now }: WholePlan): Promise<void> {
    const { db, ragIndexes } = this.#services;
    const checkNames = async () => {
      const sourceNames = await listConflicts(db, "file_sources", Object.values(sources));
      const ragNames = await listConflicts(db, "rags", Object.values(rags));
      const names = [...sourceNames, ...ragNames].join(", ");
      if (names !== "")
        throw conflict(`Made or removed during the import: ${names}. Import the archive again.`);
    };
    await checkNames();
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
    await publishImport(db, this.#row.id, all).catch(async (thrown: unknown) => {
      // Another import took a name since the check, or another call ended this one.
      await checkNames();
      throw (await findImport(db, this.#row.id))?.state === "writing" ? thrown : importBusy();
    });
    this.#row = { ...this.#row, state: "settings" };
    // An index that answers until a new one is built finds no more than that will.
    for (const { id, sourceId } of all.rags.filter(isBuilt)) {
      await showOnlyScopes(this.#services, id);
      await sendReadersOrLater(this.#services, sourceId);
    }
    for (const { id } of all.rags) {
      const waiting = { claimedUntil: this.#services.now() + SWEPT_CLAIM_MS, limit: QUEUED_FILES };
      await this.#services.queue.index(await takeUnstartedFiles(db, id, waiting));
    }
    await this.#services.wakeClock();
  }

  async #finish(plan: WholePlan): Promise<void> {
    await applyRest(this.#context, { archive: this.#archive, plan });
    await this.#save({ state: "done" });
    while (!(await removeBelow(this.#services.files, uploadPrefix(this.#row.id))));
  }
}

const isListing = (name: string) => /^files\/[^/]+\.jsonl$/.test(name);
const isPassages = (name: string) => /^rags\/.+\.jsonl$/.test(name);

const FILES_PER_STEP = 250;

/** Removes all that an unfinished import wrote. What is visible stays. */
export async function giveUpImport(services: Services, row: Pick<ArchiveImport, "id" | "state">) {
  const { db, files } = services;
  const plan = row.state === "writing" ? await readPlan(files, row.id) : null;
  const { sources = {}, rags = {} } = plan ?? {};
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
  while (!(await removeBelow(files, importPrefix(row.id))));
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
