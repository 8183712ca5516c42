import { normalForm } from "../core/normal-form.ts";
import { z } from "zod";

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

type Rooted = { root: string; folders: Record<string, Folder> };

/** Places of folders beneath the root; each is worked out once. */
export class FolderTree {
  readonly #tree: Rooted;
  readonly #base: FolderPlace;
  readonly #places = new Map<string, FolderPlace | null>();

  /** `base` is where the root itself lies: nowhere, or in a folder that stands for its drive. */
  constructor(tree: Rooted, base: FolderPlace = { path: "", ancestors: [] }) {
    this.#tree = tree;
    this.#base = base;
  }

  /** Null for a folder that does not lie beneath the root. */
  placeOf(id: string, depth = 0): FolderPlace | null {
    const cached = this.#places.get(id);
    if (cached !== undefined) return cached;
    const place = this.#findPlace(id, depth);
    this.#places.set(id, place);
    return place;
  }

  #findPlace(id: string, depth: number): FolderPlace | null {
    const { path: base, ancestors } = this.#base;
    if (id === this.#tree.root) return { path: base, ancestors: [...ancestors, id] };
    const folder = Object.hasOwn(this.#tree.folders, id) ? this.#tree.folders[id] : undefined;
    if (folder === undefined || folder.parent === null || depth > MAX_DEPTH) return null;
    const above = this.placeOf(folder.parent, depth + 1);
    if (above === null) return null;
    const path = `${above.path}${segmentOf(folder.name)}/`;
    return { path, ancestors: [...above.ancestors, id] };
  }
}
