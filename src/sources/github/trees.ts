import { z } from "zod";

import { SourceFailure, type ListedFile, type OpenedFile } from "../../ports/source-reader.ts";
import type { UnreadItem } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { readText } from "../guarded-fetch.ts";
import { listedItems, withFileIds } from "../listed-items.ts";
import { RAW } from "./github-client.ts";
import { NO_ISSUE } from "./issues.ts";
import { pathMatcher } from "./path-patterns.ts";

/** https://docs.github.com/rest/git/trees */
const object = z.object({
  path: z.string().min(1),
  mode: z.string(),
  type: z.string(),
  sha: z.string(),
});
const entry = object.extend({ size: z.number().default(0) });
type Entry = z.infer<typeof entry>;
const tree = z.object({
  tree: listedItems(entry, "path"),
  truncated: z.boolean().default(false),
});
const EMPTY: z.infer<typeof tree> = { tree: { items: [], unread: [] }, truncated: false };
const SYMBOLIC_LINK = "120000";

const sha1 = z.string().nullable();
/** A folder, whose path ends in a slash, with its trees now and before; null: there is none. */
export const folder = z.object({ path: z.string(), sha: sha1, before: sha1 });
export type Folder = z.infer<typeof folder>;
/** A changed file: without a blob it was deleted or, with a reason, is left out. */
export const change = z
  .object({ sha: z.string(), size: z.number(), reason: z.string() })
  .partial()
  .extend({ path: z.string() });
export type Change = z.infer<typeof change>;

type Difference = { changes: Change[]; folders: Folder[] };

/**
 * Null: a tree is no longer there, as after a push by force, or has an entry that cannot be read
 * and would look deleted. `address`: of the repository.
 */
export async function compareTrees(
  client: ApiClient,
  address: string,
  { path: above, sha: shaNow, before }: Folder,
): Promise<(Difference & { unread: UnreadItem[] }) | null> {
  const treeOf = async (sha: string | null, query: string) =>
    sha === null ? EMPTY : await client.find(tree, `${address}/git/trees/${sha}${query}`);
  const readBoth = async (query: string) =>
    [await treeOf(shaNow, query), await treeOf(before, query)] as const;
  let [now, former] = await readBoth("?recursive=1");
  const isFlat = now?.truncated === true || former?.truncated === true;
  if (isFlat) [now, former] = await readBoth("");
  if (now === null || former === null) return null;
  const { items, unread } = now.tree;
  if (before !== null && unread.length > 0) return null;
  const { changes, folders } = differenceOf(items, former.tree.items, above);
  const lfs = await lfsPatterns(client, address, items.find(isAttributes));
  // Folders are compared next where the tree is too large to be read with all beneath.
  return {
    changes: rejectPointers(changes, above.length, lfs),
    folders: isFlat ? folders : [],
    unread: isFlat ? withFileIds(unread, () => null) : unread,
  };
}

function differenceOf(now: Entry[], former: Entry[], above: string): Difference {
  const difference: Difference = { changes: [], folders: [] };
  const newer = new Map(now.map((each) => [each.path, each]));
  const earlier = new Map(former.map((each) => [each.path, each]));
  // Deleted ones first: a path that was a submodule may be a file now, and its last change counts.
  for (const { path, type, sha } of former) {
    if (newer.get(path)?.type === type) continue;
    const inner = `${above}${path}`;
    if (type !== "tree") difference.changes.push({ path: inner });
    else difference.folders.push({ path: `${inner}/`, sha: null, before: sha });
  }
  for (const entry of now) {
    const { path, type, mode, sha } = entry;
    const same = earlier.get(path);
    if (same?.sha === sha && same.mode === mode) continue;
    const inner = `${above}${path}`;
    const before = same?.type === type ? same.sha : null;
    if (type !== "tree") difference.changes.push(changeOf(entry, inner));
    else difference.folders.push({ path: `${inner}/`, sha, before });
  }
  return difference;
}

function changeOf({ type, mode, sha, size }: Entry, path: string): Change {
  if (type === "commit") return { path, reason: "a submodule" };
  return mode === SYMBOLIC_LINK ? { path, reason: "a symbolic link" } : { path, sha, size };
}

const isAttributes = ({ path, type }: Entry) => path === ".gitattributes" && type === "blob";

async function lfsPatterns(client: ApiClient, address: string, attributes: Entry | undefined) {
  if (attributes === undefined) return [];
  const reply = await client.download(`${address}/git/blobs/${attributes.sha}`, RAW);
  if ("error" in reply) throw client.failure(reply.error);
  const lines = (await readText(reply.got)).split("\n").map((line) => line.trim().split(/\s+/));
  return lines.flatMap(([name = "", ...words]) => (words.includes("filter=lfs") ? [name] : []));
}

/** Sizes of pointers, https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const POINTER = { least: 120, most: 1_024 };

const POINTER_START = "version https://git-lfs.github.com/spec/";
const IN_LFS = "its content is in Git LFS";

/** @throws SourceFailure for a pointer that only attributes of another folder name */
export async function openBlob(
  client: ApiClient,
  address: string,
  file: ListedFile,
): Promise<OpenedFile> {
  const content = await client.open(file, address, { headers: RAW, missing: NO_ISSUE });
  if (file.size < POINTER.least || file.size >= POINTER.most) return content;
  const blob = await new Response(content.body).blob();
  const start = await blob.slice(0, POINTER_START.length).text();
  if (start === POINTER_START) throw new SourceFailure("bad-file", IN_LFS);
  return { ...content, body: blob.stream() };
}

/** Pointers into Git LFS: small files with its attribute, https://git-scm.com/docs/gitattributes */
function rejectPointers(changes: Change[], start: number, patterns: string[]): Change[] {
  const isLarge = pathMatcher(patterns);
  return changes.map((each) => {
    const { path, size = 0 } = each;
    const isPointer = size >= POINTER.least && size < POINTER.most && isLarge(path.slice(start));
    return isPointer ? { path, reason: IN_LFS } : each;
  });
}
