import { z } from "zod";

import { normalForm } from "../core/normal-form.ts";

/** More levels than any drive allows; a circle of folders ends here, too. */
const MAX_DEPTH = 200;

const folder = z.object({ name: z.string(), parent: z.string().nullable() });
export type Folder = z.infer<typeof folder>;

/** Folders of a drive by id, some of them not beneath the root. */
export const folders = z.record(z.string(), folder);

/** `a/b` in a name is one segment all the same; `.` and `..` are no names of a path. */
export function segmentOf(name: string): string {
  const segment = normalForm(name, "NFC").replaceAll("/", "_").trim();
  return segment === "" || segment === "." || segment === ".." ? "_" : segment;
}

/** Where a folder lies: its path below the root ("" for the root), and the ids from the root on. */
export type FolderPlace = { path: string; ancestors: string[] };

type RootedTree = { root: string; folders: Record<string, Folder> };
export type FolderTree = ReturnType<typeof folderTree>;
const NOWHERE: FolderPlace = { path: "", ancestors: [] };

/**
 * Places of folders beneath the root; each is worked out once. `base` is where the root itself
 * lies: nowhere, or in a folder that stands for its drive.
 */
export function folderTree({ root, folders }: RootedTree, base = NOWHERE) {
  const places = new Map<string, FolderPlace | null>();
  const findPlace = (id: string, depth: number): FolderPlace | null => {
    if (id === root) return { path: base.path, ancestors: [...base.ancestors, id] };
    const folder = Object.hasOwn(folders, id) ? folders[id] : undefined;
    if (folder === undefined || folder.parent === null || depth > MAX_DEPTH) return null;
    const above = placeOf(folder.parent, depth + 1);
    if (above === null) return null;
    const path = `${above.path}${segmentOf(folder.name)}/`;
    return { path, ancestors: [...above.ancestors, id] };
  };
  /** Null for a folder that does not lie beneath the root. */
  const placeOf = (id: string, depth = 0): FolderPlace | null => {
    const place = places.has(id) ? places.get(id) : findPlace(id, depth);
    places.set(id, place ?? null);
    return place ?? null;
  };
  return { placeOf };
}
