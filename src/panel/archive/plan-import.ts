import { nextScanAt } from "../../catalog/file-sources/create-file-source.ts";
import { newSourceOf } from "../../catalog/file-sources/file-source-settings.ts";
import type { FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { defaultOverlap, checkScopes, newRag } from "../../catalog/rags/rag-settings.ts";
import { chunksInObject } from "../../catalog/rags/vector-place.ts";
import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { conflict, requireFound } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { newId, type FileSourceId, type RagId } from "../../core/ids.ts";
import { INDEX_FORMAT } from "../../core/index-format.ts";
import { DAY_MS } from "../../core/time.ts";
import { nextGeneration } from "../../db/archive/import-store.ts";
import type { PlannedRag, PlannedSource } from "../../db/archive/import-store.ts";
import { findPrices, PRICED_TOKENS, priceKey } from "../../db/catalog/model-store.ts";
import { ragsOfSource } from "../../db/catalog/source-store.ts";
import type { RagRecord } from "../../db/records.ts";
import { jsonIn, planKey, type ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import { SETTINGS, type ArchivedRag } from "../../ingestion/archive/archive-format.ts";
import type { ImportPlan } from "../../ingestion/archive/write-content.ts";
import type { Services } from "../../services.ts";
import { manifestOf } from "../../sources/registry.ts";
import { findMovedDestination } from "../../sources/source-secrets.ts";
import { KINDS, type Values } from "../config/kinds.ts";
import { parseSettings, readThings, replaceSecret } from "../config/settings.ts";
import { planAccess, renameInTokens } from "./archive-access.ts";
import { renameThings, type ImportWish, type Settings } from "./rename-things.ts";
import { planRest, type RestPlan } from "./rest-of-import.ts";

export type WholePlan = ImportPlan &
  RestPlan & {
    files: number;
    passages: number;
    toEmbed: number;
    /** Calls of the embedder that follow. */
    embedderCalls: number;
  };

export const storePlan = async (files: R2Bucket, id: string, plan: WholePlan) =>
  await files.put(planKey(id), JSON.stringify(plan));

/** Null: an earlier version began it, or it is given up by halves. */
export async function readPlan(files: R2Bucket, id: string): Promise<WholePlan | null> {
  const object = await files.get(planKey(id));
  return (await object?.json()) ?? null;
}

/**
 * Plans an import. `rehearse`: checks all settings. @throws QuarryError `conflict`: an identifier
 * is taken, or passages must be embedded; `invalid`: the archive's settings are damaged, or do not
 * fit this service
 */
export async function planImport(
  services: Services,
  archive: ArchiveReader,
  {
    rehearse,
    ...wish
  }: ImportWish & { dryRun: boolean; rehearse: (settings: Values) => Promise<unknown> },
): Promise<WholePlan> {
  const things = await readThings(services);
  const { access, accessThings, tokenIds } = await planAccess(services, archive, wish);
  const renaming = renameThings(await settingsOf(archive), things, { ...wish, tokenIds });
  const { settings, nameOf, outcomes } = renaming;
  const now = services.now();
  const all = [...outcomes, ...accessThings];
  if (outcomes.some(({ outcome }) => outcome === "taken")) {
    return { ...EMPTY, ...countsOf(services, archive, {}), now, things: all };
  }
  renameInTokens(access, nameOf);
  /** The values and the record of a thing of the archive, under its identifier here. */
  const planThing = <Subject>(kind: string, name: string): PlannedSubject<Subject> => {
    const as = nameOf(kind, name);
    const values = settings[kind]?.[as ?? ""];
    if (as === undefined || values === undefined) {
      throw damagedArchive(`lacks settings: ${kind}.${name}`);
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the list of its kind gives it
    return { as, values, before: things.get(`${kind}.${as}`)?.subject as Subject | undefined };
  };
  const sources: WholePlan["sources"] = {};
  for (const name of Object.keys(archive.manifest.fileSources)) {
    sources[name] = await planSource(now, planThing<FileSource>("fileSources", name));
  }
  const rags: WholePlan["rags"] = {};
  for (const [name, archived] of Object.entries(archive.manifest.rags)) {
    const source = sources[archived.fileSource];
    if (source === undefined) throw damagedArchive(`lacks the source of rags.${name}`);
    const own = { ...planThing<RagRecord>("rags", name), source, archived };
    rags[name] = await planRag(services, now, own);
  }
  const counts = countsOf(services, archive, rags);
  await refuseHalfReplaced(services, { sources, rags });
  if (counts.toEmbed > 0 && !wish.embed) {
    throw await embeddingRefusal(services, archive, { rags, toEmbed: counts.toEmbed });
  }
  const rest = await planRest(archive, renaming, rehearse);
  return { now, sources, rags, ...rest, access, things: all, ...counts };
}

const NO_ACCESS = { users: [], keys: [], tokens: [] };
const EMPTY = { sources: {}, rags: {}, settings: {}, questions: {}, access: NO_ACCESS };

function countsOf(
  { config, models }: Services,
  { manifest }: ArchiveReader,
  rags: WholePlan["rags"],
) {
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const archived = Object.entries(manifest.rags);
  const toEmbed = sum(
    archived.map(([name, { passages }]) => (rags[name]?.embeds === true ? passages : 0)),
  );
  const { batchLimit } = models.embedder(config.EMBEDDING_MODEL, config.EMBEDDING_DIMENSIONS);
  return {
    files: sum(Object.values(manifest.fileSources).map(({ files }) => files)),
    passages: sum(archived.map(([, { passages }]) => passages)),
    toEmbed,
    embedderCalls: Math.ceil(toEmbed / batchLimit),
  };
}

async function settingsOf(archive: ArchiveReader): Promise<Settings> {
  const bytes = await archive.bytes(SETTINGS);
  try {
    return parseSettings(bytes === null ? undefined : jsonIn(bytes));
  } catch {
    throw damagedArchive(`has a damaged part: ${SETTINGS}`);
  }
}

type PlannedSubject<Subject> = { as: string; values: Values; before: Subject | undefined };

async function planSource(
  now: number,
  { as, values, before }: PlannedSubject<FileSource>,
): Promise<PlannedSource> {
  const { source } = before ?? {};
  let hasSecret = false;
  const plain = replaceSecret(requireFound(KINDS["fileSources"]), values, () => (hasSecret = true));
  const parsed = newSourceOf(plain, hasSecret).safeParse({ ...plain, identifier: as });
  if (!parsed.success) throw damagedArchive(`has settings that do not fit: fileSources.${as}`);
  const { identifier: _as, provider, config, ...settings } = parsed.data;
  const row = { ...settings, config };
  if (source !== undefined) {
    if (source.provider !== provider) throw conflict(`fileSources.${as} is of another provider`);
    const replacing = { ...row, ...changeFeedReset(now, source, { ...row, provider }) };
    return { id: source.id, replaces: true, row: { ...replacing, identifier: as, provider } };
  }
  const { takes } = manifestOf({ provider, config });
  const id = newId<FileSourceId>(now);
  // Whoever sends notifications gets a new secret in the panel.
  const webhookSecretHash = await sha256Hex(crypto.randomUUID());
  const times = {
    createdAt: now,
    nextScanAt: hasSecret ? null : nextScanAt(now, settings.scanIntervalMinutes),
    uploadsDueAt: takes === "files" ? now + DAY_MS : null,
  };
  const created = { ...row, ...times, id, identifier: as, provider, webhookSecretHash };
  return { id, replaces: false, row: created };
}

/** As where settings are changed: all is listed again, and a stored secret is sent nowhere else. */
function changeFeedReset(
  now: number,
  before: FileSource["source"],
  source: Pick<FileSource["source"], "provider" | "config" | "permissions">,
) {
  if (manifestOf(source).open === null) return {};
  const isMoved = findMovedDestination(source, before.config) !== undefined;
  const isDue = before.nextScanAt !== null && !isMoved;
  const isSwitchedOn = before.permissions === "off" && source.permissions === "on";
  return {
    changeCursor: null,
    nextScanAt: isDue ? now : null,
    ...(isMoved && { sealedSecrets: null }),
    ...(isSwitchedOn && { permissionsSince: now, groupsDueAt: now }),
  };
}

async function planRag(
  services: Services,
  now: number,
  rag: PlannedSubject<RagRecord> & { source: PlannedSource; archived: ArchivedRag },
): Promise<PlannedRag> {
  const { as, values, before, source, archived } = rag;
  if (before !== undefined && before.fileSource.id !== source.id)
    throw conflict(`rags.${as} is over another source than in the archive`);
  const parsed = newRag.safeParse({ ...values, identifier: as });
  if (!parsed.success) throw damagedArchive(`has settings that do not fit: rags.${as}`);
  const { fileSource: _source, scopes = [], ...settings } = parsed.data;
  const id = before?.id ?? newId<RagId>(now);
  const scopeMode = settings.scopeMode ?? (scopes.length > 0 ? "scoped" : "global");
  const chunkOverlap = settings.chunkOverlap ?? defaultOverlap(settings.chunkSize);
  const chunking = { chunkSize: settings.chunkSize, chunkOverlap };
  const { embeds, ...built } = generationOf(services, archived, chunking);
  const next = before === undefined ? null : await nextGeneration(services.db, id);
  const generation = next === null ? 1 : Number(next["generation"]);
  const row = { ...settings, ...chunking, scopeMode, id, identifier: as, fileSourceId: source.id };
  return {
    id,
    sourceId: source.id,
    replaces: before !== undefined,
    embeds,
    row: { ...row, createdAt: now, updatedAt: now },
    scopes: checkScopes(source.row.provider, scopeMode, scopes),
    generation: { ...built, ragId: id, generation, state: "dropped", createdAt: now },
  };
}

/** How the index is built; with passages and vectors of the archive, as it was there. */
function generationOf(
  services: Services,
  archived: ArchivedRag,
  chunking: { chunkSize: number; chunkOverlap: number },
) {
  const { EMBEDDING_MODEL: embeddingModel, EMBEDDING_DIMENSIONS: dimensions } = services.config;
  const { passagePrefix, longestPassage } = services.models.embeddingForm(embeddingModel);
  const isSame = archived.embeddingModel === embeddingModel && archived.dimensions === dimensions;
  const embeds = !(isSame && archived.passagePrefix === passagePrefix && archived.vectors);
  const { chunkSize, chunkOverlap, format, shards, passages } = archived;
  const fitting = {
    chunkSize: Math.min(chunking.chunkSize, longestPassage),
    chunkOverlap: Math.min(chunking.chunkOverlap, Math.floor(longestPassage / 2)),
  };
  const place = passages > chunksInObject(services) ? ("vectorize" as const) : ("object" as const);
  return {
    embeds,
    embeddingModel,
    dimensions,
    passagePrefix,
    shards,
    vectorsIn: place,
    ...(embeds ? { ...fitting, format: INDEX_FORMAT } : { chunkSize, chunkOverlap, format }),
  };
}

/** A replaced source changes every RAG of it, so that the archive must have all of them. */
async function refuseHalfReplaced(
  { db }: Services,
  plan: Pick<WholePlan, "sources" | "rags">,
): Promise<void> {
  const replaced = new Set(Object.values(plan.rags).map(({ row }) => row.identifier));
  for (const { id, replaces, row } of Object.values(plan.sources)) {
    const lacking = replaces
      ? (await ragsOfSource(db, id)).filter((name) => !replaced.has(name))
      : [];
    if (lacking.length === 0) continue;
    throw conflict(
      `The source ${row.identifier} has RAGs that the archive lacks: ${lacking.join(", ")}. Rename it.`,
    );
  }
}

const BYTES_PER_TOKEN = 4;
const ragOfPassages = (part: string) => /^rags\/([^/]+)\/passages-/.exec(part)?.[1] ?? "";

async function embeddingRefusal(
  services: Services,
  archive: ArchiveReader,
  plan: Pick<WholePlan, "rags" | "toEmbed">,
) {
  const { EMBEDDING_MODEL: model, EMBEDDING_DIMENSIONS: dimensions } = services.config;
  const parts = archive.names.filter((part) => plan.rags[ragOfPassages(part)]?.embeds);
  const tokens = Math.ceil(archive.sizeOf(parts) / BYTES_PER_TOKEN);
  const price = (await findPrices(services.db, [model])).get(priceKey("embedding", model));
  const cost =
    price === undefined
      ? ""
      : ` (${((tokens * price.inputPrice) / PRICED_TOKENS).toFixed(2)} ${price.currency})`;
  return conflict(
    `The archive has no vectors of ${model} with ${dimensions} dimensions, which this service uses: ${plan.toEmbed} passages of about ${tokens} model tokens${cost} would be embedded. Import with embed (--embed) to do so.`,
  );
}
