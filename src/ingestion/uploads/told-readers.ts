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
export type ChangedReaders = { id: FileId; readers: FileReaders; isNew: boolean };

/** What is told without readers has the source's default, if it is new, or keeps what it has. */
export async function changedReaders(
  source: PushedSource,
  files: readonly Told[],
  known: Map<string, StoredFile>,
): Promise<ChangedReaders[]> {
  const changed: ChangedReaders[] = [];
  for (const { path, newId, readers: told = null } of files) {
    const before = known.get(path);
    const readers = told === null ? defaultFor(source, before) : readersFrom("push", told);
    if (readers === null || (await audienceOf(readers)).id === before?.audience) continue;
    changed.push({ id: before?.id ?? newId, readers, isNew: before === undefined });
  }
  return changed;
}

function defaultFor(source: PushedSource, before: StoredFile | undefined): FileReaders | null {
  const { permissions = "off", defaultReaders = [] } = source;
  if (before !== undefined || permissions === "off" || defaultReaders.length === 0) return null;
  return readersFrom(DEFAULT, defaultReaders);
}
