import { z } from "zod";

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
