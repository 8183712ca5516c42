import type { ListedFile, ListingPage } from "../../../src/ports/source-reader.ts";
import type { GoogleDriveConfig } from "../../../src/sources/google-drive/google-drive-config.ts";
import { GoogleDriveReader } from "../../../src/sources/google-drive/google-drive-reader.ts";
import { memoryStore } from "../web-site/scanning.ts";
import { BASE, type GoogleDriveDouble } from "./google-drive-double.ts";

const FOREVER = new AbortController().signal;

/** A drive as the scan engine keeps it: known files, change cursor, and scans that update them. */
export function driveSource(drive: GoogleDriveDouble, settings: Partial<GoogleDriveConfig> = {}) {
  const files = new Map<string, ListedFile>();
  const store = memoryStore();
  let changeCursor: string | null = null;
  let time = Date.now();
  const all = () => [...files.values()];
  const reader = () =>
    new GoogleDriveReader(
      { rootFolderId: drive.root, apiBaseUrl: BASE, ...settings },
      drive.account.keyFile(),
      {
        outgoing: { fetch: drive.fetch, allowPrivate: false },
        now: () => time,
        store,
        known: {
          byPath: async (paths) => all().filter(({ path }) => paths.includes(path)),
          byExternalId: async (ids) => ids.flatMap((id) => files.get(id) ?? []),
        },
      },
    );

  const pageOf = async (mode: "full" | "follow", cursor: string | null) =>
    mode === "follow"
      ? await reader().follow(changeCursor ?? "", cursor, FOREVER)
      : await reader().list(cursor, FOREVER);

  const take = (page: ListingPage, seen: Set<string>) => {
    for (const id of page.deleted) files.delete(id);
    for (const file of page.files) {
      files.set(file.externalId ?? "", file);
      seen.add(file.externalId ?? "");
    }
  };

  const end = async (mode: "full" | "follow", seen: Set<string>, next: string | null) => {
    if (mode === "full") for (const id of files.keys()) if (!seen.has(id)) files.delete(id);
    await reader().ended();
    changeCursor = next ?? changeCursor;
  };

  /** One run, from its first page to its end; each page by a reader of its own. */
  const scan = async (stopAfterPages = Infinity): Promise<"full" | "follow" | "stopped"> => {
    const seen = new Set<string>();
    let mode: "full" | "follow" = changeCursor === null ? "full" : "follow";
    let cursor: string | null = null;
    for (let pages = 0; pages < stopAfterPages; pages++) {
      const page: ListingPage | null = await pageOf(mode, cursor);
      cursor = page?.next ?? null;
      if (page === null) {
        // What the feed showed may have gone since.
        seen.clear();
        mode = "full";
      } else {
        take(page, seen);
        if (cursor === null) {
          await end(mode, seen, page.changeCursor ?? null);
          return mode;
        }
      }
    }
    return "stopped";
  };

  return {
    files,
    reader,
    scan,
    setTime: (ms: number) => {
      time = ms;
    },
    paths: () =>
      all()
        .map(({ path }) => path)
        .sort(),
  };
}
