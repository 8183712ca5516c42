import { attempt } from "../../core/log.ts";
import { sha256Hex, shardOf } from "../../core/hash.ts";
import type { FileId, FileSourceId } from "../../core/ids.ts";
import { EVERYONE, principalOf } from "../../core/principals.ts";
import {
  forgetReaderChanges,
  recordReadersSql,
  untoldReaders,
  filesOfDefault,
} from "../../db/files/reader-store.ts";
import type { Audience, ReaderChange, Recorded } from "../../db/files/reader-store.ts";
import { runBatch } from "../../db/sql.ts";
import type { FileReaders } from "../../ports/source-reader.ts";
import type { IndexAudience } from "../../ports/index-versions.ts";
import type { Services } from "../../services.ts";
import { takenBy } from "../../sources/registry.ts";
import type { StoredFile } from "../../db/files/file-store.ts";

const MAX_REASON_LENGTH = 300;

/** The same readers in any order, from the same places, are one audience. */
export async function audienceOf(told: FileReaders): Promise<Audience> {
  const unreadable = "unreadable" in told ? told.unreadable.slice(0, MAX_REASON_LENGTH) : null;
  const from = new Map<string, string>();
  for (const reader of "unreadable" in told ? [] : told.principals) {
    const principal = principalOf(reader.principal);
    if (principal !== null && !from.has(principal)) from.set(principal, reader.from);
  }
  const readers = Array.from(from, ([principal, of]) => ({ principal, from: of })).sort((a, b) =>
    a.principal < b.principal ? -1 : 1,
  );
  const id = await sha256Hex(JSON.stringify([readers, unreadable]));
  return { id, readers, unreadable };
}

const principalsIn = ({ readers }: Audience) => readers.map(({ principal }) => principal);

/** Where readers come from whom nobody told. */
export const DEFAULT = "default";

/** What a source's files have whose readers are not told; the pages of a web site are public. */
export function defaultReadersOf(source: {
  provider: string;
  defaultReaders: string[];
}): FileReaders {
  const { provider, defaultReaders } = source;
  const isPublic = defaultReaders.length === 0 && takenBy(provider) === "addresses";
  const principals = isPublic ? [EVERYONE] : defaultReaders;
  return { principals: principals.map((principal) => ({ principal, from: DEFAULT })) };
}

type Source = { id: FileSourceId; permissionsSince?: number };
/** `readers` null: nobody told them, and there is no default. */
type FileWithReaders = { id: FileId; readers: FileReaders | null; isNew: boolean };

export async function recordedOf(files: FileWithReaders[]): Promise<Recorded> {
  const recorded: Recorded = { audiences: [], files: [] };
  const seen = new Set<string>();
  for (const { id, readers, isNew } of files) {
    const audience = readers === null ? null : await audienceOf(readers);
    if (audience !== null && !seen.has(audience.id)) {
      seen.add(audience.id);
      recorded.audiences.push(audience);
    }
    recorded.files.push({ id, audience: audience?.id ?? null, isNew });
  }
  return recorded;
}

/**
 * Tells the indexes, also what an earlier call recorded that was cut off: once this returns, no
 * search sees the readers before. Nothing is embedded or indexed again.
 */
export async function recordReaders(
  services: Pick<Services, "db" | "now" | "ragIndexes">,
  source: Source,
  files: FileWithReaders[],
): Promise<void> {
  const recorded = await recordedOf(files);
  const now = Math.max(services.now(), source.permissionsSince ?? 0);
  await runBatch(services.db, recordReadersSql(source.id, recorded, { now }));
  await tellIndexes(services, source.id);
}

/** While an index is down, each call tells as many parts of ten changes again. */
const MAX_PARTS_AFTER_FAILURE = 20;

/**
 * Tells the indexes what they may not know: this change, then earlier ones that were cut off. An
 * index that does not answer keeps nothing from the others. @throws what the first of these threw
 */
export async function tellIndexes(
  { db, ragIndexes }: Pick<Services, "db" | "ragIndexes">,
  sourceId: FileSourceId,
): Promise<void> {
  let last: ReaderChange | undefined;
  let failed: PromiseRejectedResult | undefined;
  for (let parts = 0; failed === undefined || parts < MAX_PARTS_AFTER_FAILURE; parts++) {
    const { changes, told, audiences } = await untoldReaders(db, sourceId, last);
    if (changes.length === 0) break;
    last = changes.at(-1);
    const known = new Map<string | null, IndexAudience>(
      audiences.map((one) => [one.id, { id: one.id, principals: principalsIn(one) }]),
    );
    const byIndex = Map.groupBy(told, ({ ragId, generation, fileId, shards }) =>
      JSON.stringify([ragId, generation, shardOf(fileId, shards)]),
    );
    const outcomes = await Promise.allSettled(
      Array.from(byIndex.values(), (files) => tellIndex(ragIndexes, files, known)),
    );
    const refused = outcomes.find((one) => one.status === "rejected");
    if (refused === undefined) await forgetReaderChanges(db, changes);
    failed ??= refused;
  }
  if (failed !== undefined) throw failed.reason;
}

/** The same once readers are recorded: an index that does not answer is told by the sweep. */
export async function tellIndexesOrLater(
  services: Pick<Services, "db" | "log" | "ragIndexes">,
  fileSourceId: FileSourceId,
): Promise<void> {
  const event = "an index was not told who may read files";
  await attempt(services.log, event, { fileSourceId }, () => tellIndexes(services, fileSourceId));
}

type ToldFile = Awaited<ReturnType<typeof untoldReaders>>["told"][number];

/** `files`: of one index object. */
async function tellIndex(
  ragIndexes: Services["ragIndexes"],
  files: ToldFile[],
  known: Map<string | null, IndexAudience>,
): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const { ragId, generation, fileId, shards } = first;
  const used = new Set(files.flatMap(({ audience }) => known.get(audience) ?? []));
  await ragIndexes({ ragId, generation, shard: shardOf(fileId, shards) }).writeReaders({
    audiences: [...used],
    files: files.map(({ fileId: id, audience, readersRevision, from }) => {
      return { fileId: id, audience: audience ?? "", revision: readersRevision, from };
    }),
  });
}

const FILES_AT_ONCE = 1_000;

/** Gives the source's default to pushed files whose readers nobody told. */
export async function applyDefaultReaders(
  services: Services,
  source: {
    id: FileSourceId;
    provider: string;
    permissionsSince: number;
    defaultReaders: string[];
  },
): Promise<void> {
  const readers = source.defaultReaders.length === 0 ? null : defaultReadersOf(source);
  for (;;) {
    const files = await filesOfDefault(services.db, source, FILES_AT_ONCE);
    const recorded = files.map((id) => ({ id, readers, isNew: false }));
    if (files.length > 0) await recordReaders(services, source, recorded);
    if (files.length < FILES_AT_ONCE) return;
  }
}

/** A source that files are pushed to. */
export type PushedSource = {
  id: FileSourceId;
  permissions?: "off" | "on";
  /** Of new files that are told without readers, where permissions are on. */
  defaultReaders?: string[];
};

const readersFrom = (from: string, principals: string[]): FileReaders => {
  return { principals: principals.map((principal) => ({ principal, from })) };
};

type Told = { path: string; newId: FileId; readers?: string[] | null };

/** Told without readers, a file keeps what it has; one that was not there has the default. */
export async function changedReaders(
  source: PushedSource,
  files: readonly Told[],
  known: Map<string, StoredFile>,
): Promise<FileWithReaders[]> {
  const changed: FileWithReaders[] = [];
  for (const { path, newId, readers: told = null } of files) {
    const before = known.get(path);
    const readers = told === null ? defaultFor(source, before) : readersFrom("push", told);
    if (readers === undefined) continue;
    const audience = readers === null ? null : (await audienceOf(readers)).id;
    if (audience === (before?.audience ?? null)) continue;
    changed.push({ id: before?.id ?? newId, readers, isNew: before === undefined });
  }
  return changed;
}

/** Undefined: it keeps what it has; null: nobody may read it. */
function defaultFor(
  { permissions = "off", defaultReaders = [] }: PushedSource,
  before: StoredFile | undefined,
): FileReaders | null | undefined {
  if (before !== undefined && before.deletedAt === null && before.audience !== null)
    return undefined;
  if (permissions === "off" || defaultReaders.length === 0) return null;
  return readersFrom(DEFAULT, defaultReaders);
}
