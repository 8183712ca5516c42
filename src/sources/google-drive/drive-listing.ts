import { z } from "zod";

import { SourceFailure, type ListingPage } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import {
  driveFile,
  fieldsOf,
  fileList,
  FOLDER,
  startPageToken,
  type DriveFile,
} from "./drive-files.ts";
import { folders, FolderTree } from "../folder-tree.ts";
import { nothingShared, sharing } from "./drive-readers.ts";
import type { GoogleDriveConfig } from "./google-drive-config.ts";

export const storedTree = z.object({
  /** The change feed up to which the folders are known. */
  changeCursor: z.string(),
  root: z.string(),
  driveId: z.string().nullable(),
  folders,
  /** Null: who may read the files is not read. */
  sharing: sharing.nullable().default(null),
  /** The change cursor of the feed that is being followed; null: none. */
  followed: z.string().nullable().default(null),
});
export type StoredTree = z.infer<typeof storedTree>;

const FILES_PER_PAGE = 1_000;
/** Of some files hundreds of permissions are told, and an answer has a limit. */
const FILES_PER_PAGE_WITH_READERS = 200;
export const pageSizeOf = ({ sharing: known }: Pick<StoredTree, "sharing">) =>
  known === null ? FILES_PER_PAGE : FILES_PER_PAGE_WITH_READERS;

const LIVE_FOLDERS = `mimeType = '${FOLDER}' and trashed = false`;
const LIVE_FILES = `mimeType != '${FOLDER}' and trashed = false`;

/** Where a listing stands: all folders are listed first, since a file's path is made of them. */
export type ListingCursor = { phase: "folders" | "files"; page: string | null };

export const listingCursor = z.object({
  phase: z.enum(["folders", "files"]),
  page: z.string().nullable(),
});

/** Parameters that name what is listed or watched: one shared drive, or what the account sees. */
export function corpusOf(driveId: string | null) {
  const everyDrive = { supportsAllDrives: true, includeItemsFromAllDrives: true };
  return driveId === null
    ? { ...everyDrive, corpora: "user" }
    : { ...everyDrive, corpora: "drive", driveId };
}

/**
 * The empty tree that a listing begins with. Changes are followed from before it began.
 * @throws SourceFailure `denied` that says what to share with whom
 */
export async function beginTree(
  client: ApiClient,
  config: GoogleDriveConfig,
  { account, withReaders }: { account: string; withReaders: boolean },
  signal: AbortSignal,
): Promise<StoredTree> {
  const { id: root, driveId } = await findRoot(client, config, account, signal);
  const of = driveId === null ? {} : { driveId };
  const query = { ...of, supportsAllDrives: true };
  const start = await client.get(startPageToken, "changes/startPageToken", query, signal);
  const tree = { changeCursor: start.startPageToken, root, driveId, folders: {}, followed: null };
  return { ...tree, sharing: withReaders ? nothingShared() : null };
}

/** One page of folders is added to the tree. */
export async function listFolders(
  client: ApiClient,
  tree: StoredTree,
  page: string | null,
  signal: AbortSignal,
): Promise<{ tree: StoredTree; found: DriveFile[]; next: ListingCursor }> {
  const listed = await listPage(client, tree, { q: LIVE_FOLDERS, page, labelIds: [] }, signal);
  const found = listed.files.map(({ id, name, parents }) => [
    id,
    { name, parent: parents?.[0] ?? null },
  ]);
  const folders = { ...tree.folders, ...Object.fromEntries(found) };
  const next: ListingCursor =
    listed.nextPageToken === undefined
      ? { phase: "files", page: null }
      : { phase: "folders", page: listed.nextPageToken };
  return { tree: { ...tree, folders }, found: listed.files, next };
}

/** How files of a page become those of the source. */
export type FilesOf = (
  files: DriveFile[],
  tree: FolderTree,
) => Promise<Required<Pick<ListingPage, "files" | "skipped" | "problems">>>;

export async function listFiles(
  client: ApiClient,
  of: { tree: StoredTree; page: string | null; labelIds: string[]; filesOf: FilesOf },
  signal: AbortSignal,
): Promise<Omit<ListingPage, "next"> & { next: ListingCursor | null }> {
  const { tree, page, labelIds, filesOf } = of;
  const listed = await listPage(client, tree, { q: LIVE_FILES, page, labelIds }, signal);
  const { nextPageToken, incompleteSearch } = listed;
  return {
    ...(await filesOf(listed.files, new FolderTree(tree))),
    deleted: [],
    entries: listed.files.length,
    next: nextPageToken === undefined ? null : { phase: "files", page: nextPageToken },
    ...(incompleteSearch === true ? { partial: true } : {}),
    ...(nextPageToken === undefined ? { changeCursor: tree.changeCursor } : {}),
  };
}

async function listPage(
  client: ApiClient,
  tree: StoredTree,
  { q, page, labelIds }: { q: string; page: string | null; labelIds: string[] },
  signal: AbortSignal,
) {
  const query = {
    ...corpusOf(tree.driveId),
    q,
    includeLabels: labelIds.length === 0 ? undefined : labelIds.join(","),
    pageSize: pageSizeOf(tree),
    pageToken: page ?? undefined,
    fields: `nextPageToken,incompleteSearch,files(${fieldsOf(tree.sharing !== null)})`,
  };
  return await client.get(fileList, "files", query, signal);
}

const rootFolder = driveFile
  .pick({ id: true, name: true, mimeType: true, trashed: true })
  .extend({ driveId: z.string().optional() });
const sharedDrive = z.object({ id: z.string().min(1), name: z.string() });

/** What is read: a folder or a whole shared drive. `driveId` null: somebody's own drive. */
export type DriveRoot = { id: string; name: string; driveId: string | null };

/** One call. @throws SourceFailure `denied` that says what to share with whom */
export async function findRoot(
  client: ApiClient,
  { rootFolderId, sharedDriveId }: GoogleDriveConfig,
  account: string,
  signal: AbortSignal,
): Promise<DriveRoot> {
  return rootFolderId === undefined
    ? await findDrive(client, sharedDriveId ?? "", account, signal)
    : await findFolder(client, rootFolderId, account, signal);
}

async function findDrive(client: ApiClient, id: string, account: string, signal: AbortSignal) {
  const address = client.address(`drives/${encodeURIComponent(id)}`, { fields: "id,name" });
  const found = await client.find(sharedDrive, address, signal);
  if (found !== null) return { ...found, driveId: found.id };
  throw denied(`${account} sees no shared drive ${id}: add it as a viewer of the drive`);
}

async function findFolder(client: ApiClient, id: string, account: string, signal: AbortSignal) {
  const query = { fields: "id,name,mimeType,trashed,driveId", supportsAllDrives: true };
  const address = client.address(`files/${encodeURIComponent(id)}`, query);
  const found = await client.find(rootFolder, address, signal);
  if (found === null) {
    throw denied(`${account} sees no folder ${id}: share the folder with that address`);
  }
  const { name, mimeType, trashed, driveId } = found;
  if (mimeType !== FOLDER)
    throw denied(`${id} is not a folder: rootFolderId must be the id of a folder`);
  if (trashed === true) throw denied(`the folder ${id} is in the bin`);
  return { id, name, driveId: driveId ?? null };
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
  changes: z.array(change),
});
export type ChangeList = z.infer<typeof changeList>;

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
