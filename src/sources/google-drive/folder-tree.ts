import { z } from "zod";

/** More levels than any drive allows; a circle of folders ends here, too. */
const MAX_DEPTH = 200;

const folder = z.object({ name: z.string(), parent: z.string().nullable() });
const storedTree = z.object({
  /** The change feed up to which the folders are known. */
  changeCursor: z.string(),
  /** When the listing began that they were found by, ISO 8601. */
  listedAt: z.string(),
  root: z.string(),
  driveId: z.string().nullable(),
  folders: z.record(z.string(), folder),
});
export type StoredTree = z.infer<typeof storedTree>;

export function treeFrom(bytes: Uint8Array | null): StoredTree | null {
  if (bytes === null) return null;
  const parsed = storedTree.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  return parsed.success ? parsed.data : null;
}

export const treeBytes = (tree: StoredTree) => new TextEncoder().encode(JSON.stringify(tree));

/** `a/b` in a name is one segment all the same; `.` and `..` are no names of a path. */
export function segmentOf(name: string): string {
  const segment = name.normalize("NFC").replaceAll("/", "_").trim();
  return segment === "" || segment === "." || segment === ".." ? "_" : segment;
}

/** Where a folder lies: its path below the root ("" for the root), and the ids from the root on. */
export type FolderPlace = { path: string; ancestors: string[] };

/** Places of folders beneath the root; each is worked out once. */
export class FolderTree {
  readonly #tree: Pick<StoredTree, "root" | "folders">;
  readonly #places = new Map<string, FolderPlace | null>();

  constructor(tree: Pick<StoredTree, "root" | "folders">) {
    this.#tree = tree;
  }

  /** Null for a folder that does not lie beneath the root. */
  placeOf(id: string, depth = 0): FolderPlace | null {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const place = this.#findPlace(id, depth);
    this.#places.set(id, place);
    return place;
  }

  #findPlace(id: string, depth: number): FolderPlace | null {
    if (id === this.#tree.root) return { path: "", ancestors: [id] };
    const found = Object.hasOwn(this.#tree.folders, id) ? this.#tree.folders[id] : undefined;
    if (found === undefined || found.parent === null || depth > MAX_DEPTH) return null;
    const above = this.placeOf(found.parent, depth + 1);
    if (above === null) return null;
    const path = `${above.path}${segmentOf(found.name)}/`;
    return { path, ancestors: [...above.ancestors, id] };
  }
}
