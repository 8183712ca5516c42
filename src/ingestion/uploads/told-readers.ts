import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { StoredFile } from "../../db/files/file-store.ts";
import type { FileReaders } from "../../ports/source-reader.ts";
import { audienceOf, DEFAULT } from "../readers/record-readers.ts";

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
export type ChangedReaders = { id: FileId; readers: FileReaders | null; isNew: boolean };

/** Told without readers, a file keeps what it has; one that was not there has the default. */
export async function changedReaders(
  source: PushedSource,
  files: readonly Told[],
  known: Map<string, StoredFile>,
): Promise<ChangedReaders[]> {
  const changed: ChangedReaders[] = [];
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
