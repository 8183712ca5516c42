import { z } from "zod";

import { driveFile, FOLDER, type DriveFile } from "./drive-files.ts";
import type { FolderTree } from "../folder-tree.ts";
import type { StoredTree } from "./drive-listing.ts";

const change = z.object({
  changeType: z.string().optional(),
  fileId: z.string().optional(),
  removed: z.boolean().optional(),
  file: driveFile.optional(),
});
export type Change = z.infer<typeof change>;

export const changeList = z.object({
  nextPageToken: z.string().optional(),
  newStartPageToken: z.string().optional(),
  changes: z.array(change),
});

/** The file as it is now; null where it was deleted, binned or is no longer shared. */
export function fileThere({ file, removed }: Change): DriveFile | null {
  return file === undefined || removed === true || file.trashed === true ? null : file;
}

/** Whether a change moves, adds or takes files that no change names: those beneath a folder. */
export function movesFiles(change: Change, tree: StoredTree, places: FolderTree): boolean {
  const id = change.fileId ?? change.file?.id ?? "";
  const file = fileThere(change);
  if (id === tree.root) return file === null;
  const before = places.placeOf(id) === null ? undefined : tree.folders[id];
  if (file === null) return before !== undefined;
  if (file.mimeType !== FOLDER) return false;
  const parent = file.parents?.[0] ?? "";
  if (before === undefined) return places.placeOf(parent) !== null;
  return before.name !== file.name || before.parent !== parent;
}
