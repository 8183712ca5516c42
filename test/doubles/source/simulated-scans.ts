import {
  SourceFailure,
  type KnownFiles,
  type ListedFile,
  type ListingPage,
  type ReaderStore,
  type SourceReader,
} from "../../../src/ports/source-reader.ts";
import { memoryStore } from "../web-site/scanning.ts";

export const FOREVER = new AbortController().signal;

/** A reader's context: its store, and the files that earlier scans found. */
export type Kept = {
  store: ReaderStore;
  known: KnownFiles;
  now: () => number;
};

/**
 * A source with a change feed as the scan engine keeps it: known files, change cursor, and scans
 * that update them. Each page is read by a reader of its own.
 */
export function simulatedScans<Reader extends SourceReader>(newReader: (context: Kept) => Reader) {
  const files = new Map<string, ListedFile>();
  const store = memoryStore();
  let changeCursor: string | null = null;
  /** As the scan engine does after a listing that broke off. */
  let listsAgain = false;
  let time = Date.now();
  const byPath = async (paths: string[]) => {
    const pathSet = new Set(paths);
    return [...files.values()].filter(({ path }) => pathSet.has(path));
  };
  const byExternalId = async (ids: string[]) => ids.flatMap((id) => files.get(id) ?? []);
  const all = async (after: string | null, limit: number) =>
    [...files.values()]
      .filter(({ path }) => path > (after ?? ""))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .slice(0, limit);
  const knownFiles = { byPath, byExternalId, all, pushed: async () => [] };
  const reader = () => newReader({ store, known: knownFiles, now: () => time });

  const pageOf = async (mode: "full" | "follow", cursor: string | null) => {
    if (mode === "full") return await reader().list(cursor, FOREVER);
    const page = (await reader().follow?.(changeCursor ?? "", cursor, FOREVER)) ?? null;
    return page?.unread?.length ? null : page;
  };

  /** The last page that lists a file decides about it. */
  const take = (page: ListingPage, notes: Notes) => {
    if (page.restarted === true) notes.clear();
    for (const id of page.deleted) notes.set(id, "deleted");
    noteUnread(page, notes);
    for (const file of page.files) {
      // A file that was read before keeps what it was.
      const isKept = file.failure !== undefined && files.get(file.externalId ?? "")?.version;
      if (!isKept) files.set(file.externalId ?? "", file);
      notes.set(file.externalId ?? "", "seen");
    }
  };

  const end = async (mode: "full" | "follow", notes: Notes, next: string | null) => {
    const isPartial = notes.has(UNKNOWN);
    for (const id of files.keys()) {
      const note = notes.get(id);
      const isUnlisted = mode === "full" && !isPartial && note === undefined;
      if (note === "deleted" || isUnlisted) files.delete(id);
    }
    await reader().finishListing?.();
    changeCursor = isPartial ? null : next;
  };

  /** One run, from its first page to its end. */
  const scan = async (stopAfterPages = Infinity): Promise<"full" | "follow" | "stopped"> => {
    const notes: Notes = new Map();
    let mode: "full" | "follow" = changeCursor === null ? "full" : "follow";
    let cursor: string | null = null;
    for (let pages = 0; pages < stopAfterPages; pages++) {
      const page: ListingPage | null = await pageOf(mode, cursor);
      cursor = page?.next ?? null;
      if (page === null) {
        // A file of the feed may have been deleted since.
        notes.clear();
        mode = "full";
      } else {
        take(page, notes);
        listsAgain ||= mode === "full";
        if (cursor !== null) continue;
        if (mode === "follow" && listsAgain) {
          // A file of the feed may have been deleted since.
          notes.clear();
          mode = "full";
        } else {
          listsAgain = false;
          await end(mode, notes, page.changeCursor ?? null);
          return mode;
        }
      }
    }
    return "stopped";
  };

  return {
    files,
    store,
    reader,
    scan,
    setTime: (ms: number) => {
      time = ms;
    },
    paths: () => [...files.values()].map(({ path }) => path).sort(),
  };
}

/** Stands for files of which the listing says nothing. */
const UNKNOWN = "";

function noteUnread({ partial = false, unread = [] }: ListingPage, notes: Notes) {
  if (partial) notes.set(UNKNOWN, "seen");
  for (const { id } of unread) notes.set(id ?? UNKNOWN, "seen");
}

type Simulated = { files: Map<string, ListedFile>; reader: () => SourceReader };

export function fileOf({ files }: Simulated, id: string): ListedFile {
  const file = files.get(id);
  if (file === undefined) throw new Error(`${id} is not listed`);
  return file;
}

export async function textOf(source: Simulated, id: string): Promise<string> {
  const download = await source.reader().open(fileOf(source, id), FOREVER);
  return await new Response(download.body).text();
}

/** Returns the failure that the work throws. */
export async function failureOf(work: Promise<unknown>): Promise<SourceFailure> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof SourceFailure) return thrown;
  throw new Error(`no refusal: ${String(thrown)}`);
}

type Notes = Map<string, "seen" | "deleted">;
