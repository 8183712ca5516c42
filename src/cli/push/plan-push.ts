import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

import { ABOVE_LIMIT, DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { dataOf, type PanelApi } from "../api/clients.ts";
import { reasonOf, type Chooser, type FolderListing, type LocalFile } from "./list-folder.ts";
import type { LocalReaders } from "./local-readers.ts";
import { contentTypeOf } from "./upload-files.ts";

/** The changes that make a file source equal a folder. */
export type PushPlan = {
  upload: (LocalFile & { isNew: boolean; readers: string[] | null })[];
  /** Unchanged files that others may read from now on. */
  readers: { path: string; readers: string[] }[];
  remove: string[];
  /** Files that have another path now, and nothing else. */
  move: { from: string; to: string }[];
  unchanged: number;
  /** Present but not pushed; the source keeps its version of them. */
  failed: { path: string; reason: string }[];
};

export type ManifestEntry = {
  size: number;
  sha256: string | null;
  /** As a push named them; null: none did. */
  readers: string[] | null;
};

const HASHED_AT_ONCE = 8;

export async function readManifest(api: PanelApi, id: string) {
  const entries = new Map<string, ManifestEntry>();
  let cursor: string | null = null;
  do {
    const query: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = await manifestPage(api, id, query);
    for (const file of page.files) entries.set(file.path, file);
    ({ cursor } = page);
  } while (cursor !== null);
  return entries;
}

const manifestPage = (api: PanelApi, id: string, query: { cursor?: string }) =>
  dataOf(api.GET("/file-sources/{id}/manifest", { params: { path: { id }, query } }));

/** Compares hashes only where sizes are equal; another size already means a change. */
export async function planPush(
  listing: FolderListing,
  manifest: ReadonlyMap<string, ManifestEntry>,
  { choose, readersOf }: { choose: Chooser; readersOf: LocalReaders },
): Promise<PushPlan> {
  const nothing = { upload: [], remove: [], readers: [], move: [], unchanged: 0 };
  const plan: PushPlan = { ...nothing, failed: [...listing.unreadable] };
  await mapParallel(listing.files, HASHED_AT_ONCE, (file) =>
    planFile(plan, { ...file, readers: readersOf(file.path) }, manifest.get(file.path)),
  );
  plan.upload.sort((a, b) => (a.path < b.path ? -1 : 1));
  plan.remove = findDeletedFiles(listing, manifest, choose);
  await planMoves(plan, manifest);
  return plan;
}

/** A new file with the bytes and type of one that has left takes its place in the source. */
async function planMoves(plan: PushPlan, manifest: ReadonlyMap<string, ManifestEntry>) {
  const keyOf = (path: string, { size, sha256 }: { size: number; sha256: string | null }) =>
    `${size} ${sha256} ${contentTypeOf(path)}`;
  const removed = plan.remove.flatMap((path) => {
    const entry = manifest.get(path);
    return entry === undefined ? [] : [{ ...entry, path }];
  });
  // Node.js 20 has no `Map.groupBy`.
  const candidates = new Map(
    removed.map((entry) => [keyOf(entry.path, entry), [] as typeof removed]),
  );
  for (const entry of removed) candidates.get(keyOf(entry.path, entry))?.push(entry);
  const sizes = new Set(removed.map(({ size }) => size));
  const upload = plan.upload.splice(0);
  for (const file of upload) {
    const { path: to, size, isNew, absolutePath, readers } = file;
    const sha256 = isNew && sizes.has(size) ? await hashFile(absolutePath).catch(() => "") : "";
    const from = candidates.get(keyOf(to, { size, sha256 }))?.pop();
    if (from === undefined) plan.upload.push(file);
    else plan.move.push({ from: from.path, to });
    const isToldAnew = from !== undefined && readers !== null;
    if (isToldAnew && !isSameList(readers, from.readers)) plan.readers.push({ path: to, readers });
  }
  const moved = new Set(plan.move.map(({ from }) => from));
  plan.remove = plan.remove.filter((path) => !moved.has(path));
}

type FileToPlan = LocalFile & { readers: string[] | null };

async function planFile(plan: PushPlan, file: FileToPlan, entry: ManifestEntry | undefined) {
  if (file.size > DOCUMENT_LIMIT_BYTES) {
    plan.failed.push({ path: file.path, reason: ABOVE_LIMIT });
    return;
  }
  try {
    const same = entry?.size === file.size && entry.sha256 === (await hashFile(file.absolutePath));
    const { path, readers } = file;
    if (same && readers !== null && !isSameList(readers, entry.readers)) {
      plan.readers.push({ path, readers });
    }
    if (same) plan.unchanged++;
    else plan.upload.push({ ...file, isNew: entry === undefined });
  } catch (thrown) {
    plan.failed.push({ path: file.path, reason: reasonOf(thrown) });
  }
}

const isSameList = (a: string[], b: string[] | null) =>
  JSON.stringify(a) === JSON.stringify(b?.toSorted());

/** Unreadable and unselected files are not deleted ones, so the source keeps them. */
function findDeletedFiles(
  { files, unreadable }: FolderListing,
  manifest: ReadonlyMap<string, ManifestEntry>,
  choose: Chooser,
): string[] {
  const localPaths = new Set(files.map(({ path }) => path));
  const unreadablePaths = unreadable.map(({ path }) => path);
  const mayExist = (path: string) =>
    unreadablePaths.some(
      (folder) => folder === "" || path === folder || path.startsWith(`${folder}/`),
    );
  return [...manifest.keys()].filter(
    (path) => !localPaths.has(path) && choose.file(path) && !mayExist(path),
  );
}

async function hashFile(absolutePath: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(absolutePath), hash);
  return hash.digest("hex");
}
