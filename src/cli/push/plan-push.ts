import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { inParallel } from "../../core/work/parallel.ts";
import type { ManifestEntry } from "../api/panel-api.ts";
import type { Chooser } from "./choose-files.ts";
import { hashFile } from "./hash-file.ts";
import { reasonOf } from "./list-folder.ts";
import type { FolderListing, LocalFile } from "./list-folder.ts";

/** The changes that make a file source equal a folder. */
export type PushPlan = {
  upload: (LocalFile & { isNew: boolean })[];
  remove: string[];
  unchanged: number;
  /** Present but not pushed; the source keeps its version of them. */
  failed: { path: string; reason: string }[];
};

const HASHED_AT_ONCE = 8;

/** Compares hashes only where sizes are equal; another size already means a change. */
export async function planPush(
  listing: FolderListing,
  manifest: ReadonlyMap<string, ManifestEntry>,
  choose: Chooser,
): Promise<PushPlan> {
  const plan: PushPlan = { upload: [], remove: [], unchanged: 0, failed: [...listing.unreadable] };
  await inParallel(listing.files, HASHED_AT_ONCE, (file) =>
    planFile(plan, file, manifest.get(file.path)),
  );
  plan.upload.sort((a, b) => (a.path < b.path ? -1 : 1));
  plan.remove = goneFiles(listing, manifest, choose);
  return plan;
}

async function planFile(plan: PushPlan, file: LocalFile, known: ManifestEntry | undefined) {
  if (file.size > DOCUMENT_LIMIT_BYTES) {
    plan.failed.push({ path: file.path, reason: "larger than 25 MiB" });
    return;
  }
  try {
    const same = known?.size === file.size && known.sha256 === (await hashFile(file.absolutePath));
    if (same) plan.unchanged++;
    else plan.upload.push({ ...file, isNew: known === undefined });
  } catch (thrown) {
    plan.failed.push({ path: file.path, reason: reasonOf(thrown) });
  }
}

/** Unreadable and unselected files are not deleted ones, so the source keeps them. */
function goneFiles(
  { files, unreadable }: FolderListing,
  manifest: ReadonlyMap<string, ManifestEntry>,
  choose: Chooser,
): string[] {
  const here = new Set(files.map(({ path }) => path));
  const hidden = unreadable.map(({ path }) => path);
  const mayBeThere = (path: string) =>
    hidden.some((folder) => folder === "" || path === folder || path.startsWith(`${folder}/`));
  return [...manifest.keys()].filter(
    (path) => !here.has(path) && choose.file(path) && !mayBeThere(path),
  );
}
