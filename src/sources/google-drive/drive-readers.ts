import { z } from "zod";

import { sha256Hex } from "../../core/hash.ts";
import { domainPrincipal, userPrincipal, type Principal } from "../../core/principals.ts";
import type { Now } from "../../core/time.ts";
import type { FileReaders } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import type { Folder, FolderPlace } from "../folder-tree.ts";
import { earlierOf, isSame, storedReaders, type ReadPermissions } from "../stored-readers.ts";
import { pageOf } from "./drive-client.ts";
import { FOLDER, type DriveFile } from "./drive-files.ts";
import {
  drivePermission,
  PERMISSION_FIELDS,
  readPermissions,
  type DrivePermission,
} from "./drive-permission.ts";

/*
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/list
 * https://developers.google.com/workspace/drive/api/guides/limited-expansive-access
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File
 */
/** The most that shared drives answer with. */
const PERMISSIONS_PER_PAGE = 100;
/** Marks a folder of a shared drive that has permissions of its own. */
const OWN = "own";
const INHERITED = "inherited";

export const sharing = z.object({
  /** A mark of each folder that changes when its sharing does. */
  marks: z.record(z.string(), z.string()).default({}),
  /** Readers of the root, and of folders that have permissions of their own to inherit. */
  readers: z.record(z.string(), storedReaders).default({}),
  expiresAt: z.number().nullable().default(null),
});
export type SharingState = z.infer<typeof sharing>;

const permissionPage = pageOf("permissions", z.array(drivePermission));

type PlacedFile = { file: DriveFile; target: DriveFile; place: FolderPlace };

export type DriveReadersOptions = {
  client: ApiClient;
  /** Whom the source reads as. */
  account: string;
  now: Now;
  /** `driveId` null: somebody's own drive. */
  tree: { root: string; driveId: string | null; folders: Record<string, Folder> };
};

/** In a shared drive, each item with permissions of its own costs a call. */
export class DriveReaders {
  readonly #of: DriveReadersOptions;
  /** Grows with what is read, and is stored with the tree. */
  readonly #sharing: SharingState;
  readonly #asked = new Map<string, Promise<FileReaders>>();

  constructor(options: DriveReadersOptions, initial: SharingState) {
    this.#of = options;
    this.#sharing = initial;
  }

  /** `target` is where the file's text comes from: whoever may read that. */
  async readersOf({ file, target, place }: PlacedFile): Promise<FileReaders> {
    const isShortcut = target.id !== file.id;
    if (target.permissions !== undefined) return this.#addExpiry(this.#read(target.permissions));
    if (target.driveId === null && this.#of.tree.driveId === null) return this.#unreadable();
    if (!isShortcut && inheritsOnly(target)) return await this.#readInherited(place);
    return this.#addExpiry(await this.#list(target.id, "file"));
  }

  async readRoot(): Promise<void> {
    const { root } = this.#of.tree;
    this.#sharing.readers[root] = this.#addExpiry(await this.#list(root));
  }

  async addFolders(folders: DriveFile[]): Promise<void> {
    for (const folder of folders) this.#sharing.marks[folder.id] = await this.#markOf(folder);
  }

  /** Whether the root is shared with others than before, or a permission has expired. */
  async hasRootChanged(): Promise<boolean> {
    const { expiresAt, readers } = this.#sharing;
    if (expiresAt !== null && expiresAt <= this.#of.now()) return true;
    const { root } = this.#of.tree;
    return !isSame((await this.#list(root)).readers, readers[root]);
  }

  /** Whether a change concerns files that the feed does not name. */
  async hasChangedOthers(file: DriveFile, isInside: boolean): Promise<boolean> {
    const { marks, readers } = this.#sharing;
    if (file.mimeType !== FOLDER || !isInside || file.id === this.#of.tree.root) return false;
    const mark = await this.#markOf(file);
    if (marks[file.id] !== mark) return true;
    // Files with permissions of their own inherit those of their folders, too.
    return mark === OWN && !isSame((await this.#list(file.id)).readers, readers[file.id]);
  }

  /** Reads from the nearest folder above that has permissions of its own, or limited access. */
  async #readInherited({ ancestors }: FolderPlace): Promise<FileReaders> {
    const { marks, readers } = this.#sharing;
    const from = ancestors.findLast((id) => marks[id] === OWN) ?? this.#of.tree.root;
    const cached = readers[from];
    if (cached !== undefined) return cached;
    const listing =
      this.#asked.get(from) ?? this.#list(from).then((permissions) => this.#addExpiry(permissions));
    this.#asked.set(from, listing);
    return (readers[from] = await listing);
  }

  async #markOf(folder: DriveFile): Promise<string> {
    if (this.#of.tree.driveId !== null) return inheritsOnly(folder) ? INHERITED : OWN;
    return await sha256Hex(JSON.stringify(this.#read(folder.permissions ?? []).readers));
  }

  /** All permissions of a file, folder or shared drive. @throws SourceFailure */
  async #list(id: string, kind?: "file"): Promise<ReadPermissions> {
    const { client } = this.#of;
    const query = {
      supportsAllDrives: true,
      pageSize: PERMISSIONS_PER_PAGE,
      fields: `nextPageToken,permissions(${PERMISSION_FIELDS})`,
    };
    const path = `files/${encodeURIComponent(id)}/permissions`;
    const listing = { cursor: "pageToken", absent: [403, 404] };
    const page = await client.all(permissionPage, client.address(path, query), listing);
    if (page === null) return { readers: this.#unreadable(), expiresAt: null };
    return this.#read(page, kind === "file" ? null : id);
  }

  #unreadable(): FileReaders {
    const { account, tree } = this.#of;
    const role = tree.driveId === null ? "an editor who may share it" : "a content manager";
    return { unreadable: `Google Drive does not tell ${account} who may read it: make it ${role}` };
  }

  /** `folder`: the one that they are permissions of; null: a file. */
  #read(permissions: DrivePermission[], folder: string | null = null): ReadPermissions {
    const { now, tree } = this.#of;
    return readPermissions(permissions, now(), (inheritedFrom) => {
      const id = inheritedFrom ?? folder;
      if (id === null) return "file";
      if (id === tree.driveId) return "drive";
      const name = tree.folders[id]?.name;
      return name === undefined ? "folder" : `folder ${name}`;
    });
  }

  #addExpiry({ readers, expiresAt }: ReadPermissions): FileReaders {
    this.#sharing.expiresAt = earlierOf(this.#sharing.expiresAt, expiresAt);
    return readers;
  }
}

const inheritsOnly = ({ hasAugmentedPermissions, inheritedPermissionsDisabled }: DriveFile) =>
  hasAugmentedPermissions === false && inheritedPermissionsDisabled !== true;

/** https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list */
const MEMBERS_PER_PAGE = 200;
const text = z.string().optional();
const member = z.object({ type: z.string(), email: text, status: text });
const memberPage = pageOf("members", z.array(member).default([]));

/**
 * The users of a group and of groups in it. All people of its customer are those of the group's own
 * domain: the API does not list the customer's others. @throws SourceFailure
 */
export async function directoryMembers(client: ApiClient, group: string): Promise<Principal[]> {
  const path = `groups/${encodeURIComponent(group)}/members`;
  const query = { includeDerivedMembership: true, maxResults: MEMBERS_PER_PAGE };
  const address = client.address(path, query);
  const members = (await client.all(memberPage, address, { cursor: "pageToken" })) ?? [];
  const principals = members.map(({ type, email = "", status }) => {
    if (type === "CUSTOMER") return domainPrincipal(group);
    return type === "USER" && status !== "SUSPENDED" ? userPrincipal(email) : null;
  });
  return principals.filter((principal) => principal !== null);
}
