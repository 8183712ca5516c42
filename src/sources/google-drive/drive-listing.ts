import { z } from "zod";

import { SourceFailure } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { folders, type FolderTree } from "../folder-tree.ts";
import { listedItems } from "../listed-items.ts";
import { driveFile, fieldsOf, FOLDER, type DriveFile } from "./drive-files.ts";
import { sharing } from "./drive-readers.ts";
import type { GoogleDriveConfig } from "./google-drive-config.ts";

export const storedTree = z.object({
  /** The change feed up to which the folders are known. */
  changeCursor: z.string(),
  root: z.string(),
  driveId: z.string().nullable(),
  folders,
  /** Ids of folders whose names and places cannot be read. */
  unread: z.array(z.string()).default([]),
  /** Files that shortcuts lead to. */
  targets: z.record(z.string(), z.literal(true)).default({}),
  /** Null: who may read the files is not read. */
  sharing: sharing.nullable().default(null),
  /** The change cursor of the feed that is being followed; null: none. */
  followed: z.string().nullable().default(null),
});
export type StoredTree = z.infer<typeof storedTree>;

const FILES_PER_PAGE = 1_000;
/** Some files have hundreds of permissions, and an answer has a limit. */
const FILES_PER_PAGE_WITH_READERS = 200;
export const pageSizeOf = ({ sharing }: Pick<StoredTree, "sharing">) =>
  sharing === null ? FILES_PER_PAGE : FILES_PER_PAGE_WITH_READERS;

/** Where a listing stands: all folders are listed first, since a file's path is made of them. */
export const listingCursor = z.object({
  phase: z.enum(["folders", "files"]),
  page: z.string().nullable(),
});
type ListingCursor = z.infer<typeof listingCursor>;

const LIVE = {
  folders: `mimeType = '${FOLDER}' and trashed = false`,
  files: `mimeType != '${FOLDER}' and trashed = false`,
};

/** Parameters that name what is listed or watched: one shared drive, or what the account sees. */
export function corpusOf(driveId: string | null) {
  const everyDrive = { supportsAllDrives: true, includeItemsFromAllDrives: true };
  return driveId === null ? everyDrive : { ...everyDrive, driveId };
}

const startPageToken = z.object({ startPageToken: z.string().min(1) });

/** The change feed from now on. */
export async function startOfChanges(client: ApiClient, driveId: string | null): Promise<string> {
  const query = { supportsAllDrives: true, driveId: driveId ?? undefined };
  return (await client.get(startPageToken, "changes/startPageToken", query)).startPageToken;
}

const fileList = z.object({
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().optional(),
  files: listedItems(driveFile),
});

/** One page of folders or of files; a listing of files reads these labels with them. */
export async function listPage(
  client: ApiClient,
  tree: StoredTree,
  { phase, page, labelIds = [] }: ListingCursor & { labelIds?: string[] | undefined },
) {
  const isLabelled = phase === "files" && labelIds.length > 0;
  const query = {
    ...corpusOf(tree.driveId),
    corpora: tree.driveId === null ? "user" : "drive",
    q: LIVE[phase],
    includeLabels: isLabelled ? labelIds.join(",") : undefined,
    pageSize: pageSizeOf(tree),
    pageToken: page ?? undefined,
    fields: `nextPageToken,incompleteSearch,files(${fieldsOf(tree.sharing !== null)})`,
  };
  return await client.get(fileList, "files", query);
}

const rootFolder = driveFile.pick({
  id: true,
  name: true,
  mimeType: true,
  trashed: true,
  driveId: true,
});
const sharedDrive = z.object({ id: z.string().min(1), name: z.string() });

/**
 * The root of a listing: a folder or a whole shared drive. `driveId` null: a person's own drive.
 */
type DriveRoot = { id: string; name: string; driveId: string | null };

/** One call. @throws SourceFailure `denied` that says what to share with whom */
export async function findRoot(
  client: ApiClient,
  { rootFolderId: id, sharedDriveId = "" }: GoogleDriveConfig,
  account: string,
): Promise<DriveRoot> {
  if (id === undefined) return await findDrive(client, sharedDriveId, account);
  const query = { fields: Object.keys(rootFolder.shape).join(","), supportsAllDrives: true };
  const address = client.address(`files/${encodeURIComponent(id)}`, query);
  const root = await client.find(rootFolder, address);
  if (root === null) {
    throw denied(`${account} sees no folder ${id}: share the folder with that address`);
  }
  const { name, mimeType, trashed, driveId } = root;
  if (mimeType !== FOLDER)
    throw denied(`${id} is not a folder: rootFolderId must be the id of a folder`);
  if (trashed === true) throw denied(`the folder ${id} is in the bin`);
  // A folder may be shared with an account that may not list the drive that it lies in.
  if (driveId !== null) await findDrive(client, driveId, account);
  return { id, name, driveId };
}

async function findDrive(client: ApiClient, id: string, account: string): Promise<DriveRoot> {
  const address = client.address(`drives/${encodeURIComponent(id)}`, { fields: "id,name" });
  const driveItem = await client.find(sharedDrive, address);
  if (driveItem !== null) return { ...driveItem, driveId: driveItem.id };
  throw denied(`${account} sees no shared drive ${id}: add it as a viewer of the drive`);
}

const denied = (message: string) => new SourceFailure("denied", `Google Drive: ${message}`);

const change = z.object({
  changeType: z.string().optional(),
  fileId: z.string().optional(),
  removed: z.boolean().optional(),
  file: driveFile.optional(),
});
type Change = z.infer<typeof change>;

export const changeList = z.object({
  nextPageToken: z.string().optional(),
  newStartPageToken: z.string().optional(),
  changes: listedItems(change, "fileId"),
});
export type ChangeList = z.infer<typeof changeList>;

const idOf = ({ fileId, file }: Change) => fileId ?? file?.id ?? "";

/** The file as it is now; null where it was deleted, binned or is no longer shared. */
export function existingFile({ file, removed }: Change): DriveFile | null {
  return file === undefined || removed === true || file.trashed === true ? null : file;
}

/** Whether a change moves, adds or takes files that no change names: those beneath a folder. */
export function isMovingFiles(change: Change, tree: StoredTree, places: FolderTree): boolean {
  const id = idOf(change);
  const file = existingFile(change);
  // A root that moves to another drive has its changes in the feed of that drive.
  if (id === tree.root) return file?.driveId !== tree.driveId;
  const before = places.placeOf(id) === null ? undefined : tree.folders[id];
  if (file === null) return before !== undefined;
  if (file.mimeType !== FOLDER) return false;
  const parent = file.parents?.[0] ?? "";
  if (before === undefined) return places.placeOf(parent) !== null;
  return before.name !== file.name || before.parent !== parent;
}
