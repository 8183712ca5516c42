import { mapParallel } from "../../core/work/parallel.ts";
import type { ListedFile, ListingPage, OpenedFile } from "../../ports/source-reader.ts";
import type { SourceReader } from "../../ports/source-reader.ts";
import type { SourceWatcher } from "../../ports/source-watcher.ts";
import type { Api, ApiClient } from "../api-client.ts";
import { folderTree, type FolderTree } from "../folder-tree.ts";
import { closeUnread } from "../listed-items.ts";
import { scanState, type ScanState } from "../scan-state.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { googleApi } from "./drive-client.ts";
import { exportTypeOf, fieldsOf, type DriveFile } from "./drive-files.ts";
import {
  changeList,
  corpusOf,
  existingFile,
  findRoot,
  listingCursor,
  listPage,
  isMovingFiles,
  pageSizeOf,
  startOfChanges,
  storedTree,
  type ChangeList,
  type StoredTree,
} from "./drive-listing.ts";
import { directoryMembers, DriveReaders } from "./drive-readers.ts";
import { driveWatcher } from "./drive-watcher.ts";
import { filesBeneath, filesInUnread, READERS_AT_ONCE } from "./files-beneath.ts";
import type { GoogleDriveConfig, ServiceAccount } from "./google-drive-config.ts";

/** A change cursor that Drive no longer takes. */
const EXPIRED = [400, 404, 410];

/**
 * Google Drive v3 by a service account: one full listing, then the change feed. A change of the
 * folders beneath the root changes paths of files that the feed does not name: then everything is
 * listed again, which costs no download.
 */
export class GoogleDriveReader implements SourceReader {
  readonly #config: GoogleDriveConfig;
  readonly #account: string;
  readonly #options: DriveOptions;
  readonly #drive: Api;
  readonly #directory: Api;
  readonly #tree: ScanState<StoredTree>;
  readonly watcher: SourceWatcher;

  constructor(config: GoogleDriveConfig, account: ServiceAccount, options: DriveOptions) {
    const { outgoing, now } = options;
    const { subject, apiBaseUrl } = config;
    this.#config = config;
    this.#account = subject ?? account.client_email;
    this.#options = options;
    this.#tree = scanState(options.store, "folders", storedTree);
    const app = { outgoing, now, account, subject, apiBaseUrl };
    this.#drive = googleApi("drive", app, `share it with ${this.#account}`);
    const remedy = "give the service account the admin role Groups Reader";
    this.#directory = googleApi("directory", app, remedy);
    const findDriveId = async (client: ApiClient) => (await this.#findRoot(client)).driveId;
    this.watcher = driveWatcher(this.#drive, now, findDriveId);
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const client = this.#drive(signal);
    const at = cursor === null ? null : listingCursor.parse(JSON.parse(cursor));
    const tree = at === null ? await this.#begin(client) : await this.#tree.pending();
    // The state kept between pages is lost: the listing starts again.
    if (tree === null) return { ...(await this.list(null, signal)), restarted: true };
    const { phase, page } = at ?? { phase: "folders", page: null };
    const { labelIds } = this.#config;
    const listing = await listPage(client, tree, { phase, page, labelIds });
    const { nextPageToken, incompleteSearch } = listing;
    const { items: files, unread } = listing.files;
    const entries = files.length;
    const further = nextPageToken === undefined ? null : { phase, page: nextPageToken };
    if (phase === "folders") {
      tree.unread.push(...unread.flatMap(({ id }) => id ?? []));
      await this.#addFolders(client, tree, files, at === null);
      const next = JSON.stringify(further ?? { phase: "files", page: null });
      return { files: [], deleted: [], unread, entries, next };
    }
    const current = await this.#filesOf(client, files, { tree, places: folderTree(tree) });
    const allUnread = [...unread, ...current.unread];
    const knownFiles = this.#readsPermissions ? this.#options.known : null;
    const { files: closedFiles, ...rest } = await closeUnread(knownFiles, allUnread);
    await this.#tree.keep(tree);
    return {
      ...current,
      ...rest,
      files: [...current.files, ...closedFiles],
      deleted: [],
      entries,
      next: further === null ? null : JSON.stringify(further),
      ...(incompleteSearch === true ? { partial: true } : {}),
      ...(further === null ? cursorAfter(tree) : {}),
      ...recheckTimeOf(tree),
    };
  }

  async #addFolders(client: ApiClient, tree: StoredTree, files: DriveFile[], isFirst: boolean) {
    const added = files.map(({ id, name, parents }) => [
      id,
      { name, parent: parents?.[0] ?? null },
    ]);
    tree.folders = { ...tree.folders, ...Object.fromEntries(added) };
    const readers = this.#readersIn(client, tree);
    if (isFirst) await readers?.readRoot();
    await readers?.addFolders(files);
    await this.#tree.keep(tree);
  }

  async follow(changeCursor: string, cursor: string | null, signal: AbortSignal) {
    const client = this.#drive(signal);
    const tree = await this.#treeToFollow(changeCursor, cursor);
    if (tree === null) return null;
    const answer = await this.#readChanges(client, tree, cursor ?? changeCursor);
    if (answer === null) return null;
    const following = { tree, places: folderTree(tree) };
    if (await this.#isAboutOthers(client, { ...answer, isFirst: cursor === null }, following))
      return null;
    return await this.#feedPage(client, { ...answer, changeCursor }, following);
  }

  /** Whether these changes concern files that they do not name. */
  async #isAboutOthers(
    client: ApiClient,
    { changes: { items: changes }, isFirst }: ChangeList & { isFirst: boolean },
    { tree, places }: FollowedTree,
  ): Promise<boolean> {
    if (changes.some((change) => isMovingFiles(change, tree, places))) return true;
    if (changes.some(({ fileId = "" }) => tree.targets[fileId] === true)) return true;
    const readers = this.#readersIn(client, tree);
    if (readers === null) return false;
    if (isFirst && (await readers.hasRootChanged())) return true;
    const present = changes.flatMap((change) => existingFile(change) ?? []);
    const changed = await mapParallel(present, READERS_AT_ONCE, async (file) => {
      return await readers.hasChangedOthers(file, places.placeOf(file.id) !== null);
    });
    return changed.includes(true);
  }

  async #feedPage(
    client: ApiClient,
    answer: ChangeList & { changeCursor: string },
    following: FollowedTree,
  ): Promise<ListingPage> {
    const { nextPageToken, newStartPageToken, changeCursor } = answer;
    const { items: changes, unread } = answer.changes;
    const { tree } = following;
    const changed = changes.flatMap((change) => existingFile(change) ?? []);
    const { files, ...omitted } = await this.#filesOf(client, changed, following);
    const listedIds = new Set(files.map(({ externalId }) => externalId));
    const changedIds = changes.flatMap(({ fileId, file }) => fileId ?? file?.id ?? []);
    const end = nextPageToken === undefined ? (newStartPageToken ?? changeCursor) : null;
    if (this.#readsPermissions || (end !== null && end !== changeCursor)) {
      const followedCursor = end === null ? changeCursor : null;
      await this.#tree.keep({
        ...tree,
        changeCursor: end ?? changeCursor,
        followed: followedCursor,
      });
    }
    return {
      files,
      ...omitted,
      unread: [...unread, ...omitted.unread],
      entries: changes.length,
      deleted: changedIds.filter((id) => !listedIds.has(id)),
      next: nextPageToken ?? null,
      ...(end === null ? {} : { changeCursor: end }),
      ...recheckTimeOf(tree),
    };
  }

  /** With readers, what one page of a feed learns of them counts for the next. */
  async #treeToFollow(changeCursor: string, cursor: string | null): Promise<StoredTree | null> {
    const isBegun = cursor !== null && this.#readsPermissions;
    const tree = await (isBegun ? this.#tree.pending() : this.#tree.committed());
    const feedCursor = isBegun ? tree?.followed : tree?.changeCursor;
    if (tree === null || feedCursor !== changeCursor) return null;
    // Permissions were switched on or off since.
    return (tree.sharing !== null) === this.#readsPermissions ? tree : null;
  }

  async check(signal: AbortSignal): Promise<string> {
    const { name, driveId, id } = await this.#findRoot(this.#drive(signal));
    const what = driveId === id ? "shared drive" : "folder";
    return `Google Drive: ${this.#account} sees the ${what} "${name}"`;
  }

  async membersOf(group: string, signal: AbortSignal): Promise<string[]> {
    return await directoryMembers(this.#directory(signal), group);
  }

  async finishListing(): Promise<void> {
    await this.#tree.commitPending();
  }

  async open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile> {
    const client = this.#drive(signal);
    const exported = exportTypeOf(textOf(file.metadata["mimeType"]));
    const id = encodeURIComponent(textOf(file.sourceState?.["targetId"] ?? file.externalId));
    if (exported === null) {
      const query = { alt: "media", supportsAllDrives: true };
      return await client.open(file, client.address(`files/${id}`, query));
    }
    const address = client.address(`files/${id}/export`, { mimeType: exported });
    // The size of a document is none of what it is exported to.
    return await client.open({ size: 0, mimeType: exported }, address);
  }

  async #findRoot(client: ApiClient) {
    return await findRoot(client, this.#config, this.#account);
  }

  async #begin(client: ApiClient): Promise<StoredTree> {
    const { id: root, driveId } = await this.#findRoot(client);
    // Changes are followed from before the listing began.
    const changeCursor = await startOfChanges(client, driveId);
    const sharing = this.#readsPermissions ? {} : null;
    return storedTree.parse({ changeCursor, root, driveId, folders: {}, sharing });
  }

  get #readsPermissions(): boolean {
    return this.#options.readsPermissions === true;
  }

  /** Null: who may read the files is not asked. */
  #readersIn(client: ApiClient, tree: StoredTree): DriveReaders | null {
    if (tree.sharing === null) return null;
    const { now } = this.#options;
    return new DriveReaders({ client, account: this.#account, now, tree }, tree.sharing);
  }

  /** Null when Drive no longer takes the cursor. */
  async #readChanges(client: ApiClient, tree: StoredTree, pageToken: string) {
    const query = {
      ...corpusOf(tree.driveId),
      pageToken,
      pageSize: pageSizeOf(tree),
      includeRemoved: true,
      includeLabels: this.#config.labelIds?.join(","),
      fields:
        "nextPageToken,newStartPageToken," +
        `changes(changeType,fileId,removed,file(${fieldsOf(tree.sharing !== null)}))`,
    };
    return await client.find(changeList, client.address("changes", query), { absent: EXPIRED });
  }

  async #filesOf(client: ApiClient, driveFiles: DriveFile[], { tree, places }: FollowedTree) {
    const readers = this.#readersIn(client, tree);
    const reading = { client, known: this.#options.known, readers };
    const page = await filesBeneath(reading, driveFiles, places);
    page.unread.push(...(await filesInUnread(reading.known, driveFiles, { tree, places })));
    for (const { sourceState } of page.files)
      if (sourceState !== null) tree.targets[textOf(sourceState["targetId"])] = true;
    return page;
  }
}

type FollowedTree = { tree: StoredTree; places: FolderTree };

/** None after folders that could not be read, as no feed tells what lies in them. */
const cursorAfter = ({ changeCursor, unread }: StoredTree) =>
  unread.length === 0 ? { changeCursor } : {};

/** Permissions that expire are read again then. */
const recheckTimeOf = ({ sharing }: StoredTree) =>
  sharing?.expiresAt == null ? {} : { againAt: sharing.expiresAt };

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
