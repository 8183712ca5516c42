import type { Now } from "../../core/time.ts";
import type {
  KnownFiles,
  ListedFile,
  ListingPage,
  OpenedFile,
  SourceReader,
  ReaderStore,
} from "../../ports/source-reader.ts";
import type { SourceWatcher } from "../../ports/source-watcher.ts";
import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { openedFrom, tooLarge, type Outgoing } from "../guarded-fetch.ts";
import { accessTokens } from "../access-tokens.ts";
import { googleTokens, driveClient } from "./drive-client.ts";
import type { ApiClient } from "../api-client.ts";
import { exportTypeOf, fieldsOf, type DriveFile } from "./drive-files.ts";
import {
  beginTree,
  changeList,
  corpusOf,
  fileThere,
  findRoot,
  listFiles,
  listFolders,
  listingCursor,
  movesFiles,
  pageSizeOf,
  storedTree,
  type ChangeList,
  type StoredTree,
} from "./drive-listing.ts";
import { DriveReaders } from "./drive-readers.ts";
import { inParallel } from "../../core/work/parallel.ts";
import { driveWatcher } from "./drive-watcher.ts";
import { filesBeneath, READERS_AT_ONCE } from "./files-beneath.ts";
import { FolderTree } from "../folder-tree.ts";
import { directoryClient, directoryMembers, GROUPS_SCOPE } from "./directory-groups.ts";
import type { GoogleDriveConfig, ServiceAccount } from "./google-drive-config.ts";
import { scanState, type ScanState } from "../scan-state.ts";

/** A change cursor that Drive no longer takes. */
const EXPIRED = [400, 404, 410];

export type GoogleDriveOptions = {
  outgoing: Outgoing;
  now: Now;
  store: ReaderStore;
  known: Pick<KnownFiles, "byPath" | "byExternalId">;
  /** Whether to list who may read the files. */
  readsPermissions?: boolean;
};

/**
 * Google Drive v3 by a service account: one full listing, then the change feed. A change of the
 * folders beneath the root changes paths of files that the feed does not name: then everything is
 * listed again, which costs no download.
 */
export class GoogleDriveReader implements SourceReader {
  readonly #config: GoogleDriveConfig;
  readonly #account: string;
  readonly #options: GoogleDriveOptions;
  readonly #client: ApiClient;
  readonly #tree: ScanState<StoredTree>;
  readonly watcher: SourceWatcher;
  readonly #directory: ApiClient;

  constructor(config: GoogleDriveConfig, account: ServiceAccount, options: GoogleDriveOptions) {
    const { outgoing, now } = options;
    this.#config = config;
    this.#account = config.subject ?? account.client_email;
    this.#options = options;
    this.#tree = scanState(options.store, "folders", storedTree);
    this.#client = driveClient({
      outgoing,
      now,
      apiBaseUrl: config.apiBaseUrl,
      tokens: accessTokens(googleTokens(account, config.subject, now), outgoing, now),
      remedy: `share it with ${this.#account}`,
    });
    const groups = googleTokens(account, config.subject, now, GROUPS_SCOPE);
    const tokens = accessTokens(groups, outgoing, now);
    this.#directory = directoryClient({ outgoing, now, tokens, apiBaseUrl: config.apiBaseUrl });
    this.watcher = driveWatcher({
      client: this.#client,
      now,
      findDriveId: async (signal) => (await this.#findRoot(signal)).driveId,
    });
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const at = cursor === null ? null : listingCursor.parse(JSON.parse(cursor));
    const tree = at === null ? await this.#begin(signal) : await this.#tree.pending();
    // The state kept between pages is lost: the listing starts again.
    if (tree === null) return { ...(await this.list(null, signal)), restarted: true };
    if (at === null || at.phase === "folders") {
      return await this.#folderPage(tree, at?.page ?? null, { isFirst: at === null }, signal);
    }
    const page = await listFiles(
      this.#client,
      {
        tree,
        page: at.page,
        labelIds: this.#config.labelIds ?? [],
        filesOf: async (files, places) => await this.#filesOf(files, { tree, places }, signal),
      },
      signal,
    );
    if (tree.sharing !== null) await this.#tree.keep(tree);
    const next = page.next === null ? null : JSON.stringify(page.next);
    return { ...page, next, ...againAt(tree) };
  }

  async #folderPage(
    tree: StoredTree,
    page: string | null,
    { isFirst }: { isFirst: boolean },
    signal: AbortSignal,
  ): Promise<ListingPage> {
    const listed = await listFolders(this.#client, tree, page, signal);
    const readers = this.#readersIn(listed.tree);
    if (isFirst) await readers?.readRoot(signal);
    await readers?.addFolders(listed.found);
    await this.#tree.keep(listed.tree);
    const { found, next } = listed;
    return { files: [], deleted: [], entries: found.length, next: JSON.stringify(next) };
  }

  async follow(
    changeCursor: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<ListingPage | null> {
    const tree = await this.#followed(changeCursor, cursor);
    if (tree === null) return null;
    const answer = await this.#changesSince(tree, cursor ?? changeCursor, signal);
    if (answer === null) return null;
    const of = { tree, places: new FolderTree(tree) };
    const isFirst = cursor === null;
    if (await this.#concernsOthers({ ...answer, isFirst }, of, signal)) return null;
    return await this.#feedPage({ ...answer, changeCursor }, of, signal);
  }

  /** Whether these changes concern files that they do not name. */
  async #concernsOthers(
    { changes, isFirst }: ChangeList & { isFirst: boolean },
    { tree, places }: Followed,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (changes.some((change) => movesFiles(change, tree, places))) return true;
    const readers = this.#readersIn(tree);
    if (readers === null) return false;
    if (isFirst && (await readers.rootChanged(signal))) return true;
    const there = changes.flatMap((change) => fileThere(change) ?? []);
    const changed = await inParallel(there, READERS_AT_ONCE, async (file) => {
      return await readers.changesOthers(file, places.placeOf(file.id) !== null, signal);
    });
    return changed.includes(true);
  }

  async #feedPage(
    answer: ChangeList & { changeCursor: string },
    of: Followed,
    signal: AbortSignal,
  ): Promise<ListingPage> {
    const { changes, nextPageToken, newStartPageToken, changeCursor } = answer;
    const { tree } = of;
    const changed = changes.flatMap((change) => fileThere(change) ?? []);
    const { files, ...unread } = await this.#filesOf(changed, of, signal);
    const listed = new Set(files.map(({ externalId }) => externalId));
    const changedIds = changes.flatMap(({ fileId, file }) => fileId ?? file?.id ?? []);
    const end = nextPageToken === undefined ? (newStartPageToken ?? changeCursor) : null;
    if (this.#readsPermissions || (end !== null && end !== changeCursor)) {
      const followed = end === null ? changeCursor : null;
      await this.#tree.keep({ ...tree, changeCursor: end ?? changeCursor, followed });
    }
    return {
      files,
      ...unread,
      entries: changes.length,
      deleted: changedIds.filter((id) => !listed.has(id)),
      next: nextPageToken ?? null,
      ...(end === null ? {} : { changeCursor: end }),
      ...againAt(tree),
    };
  }

  /** With readers, what one page of a feed learns of them counts for the next. */
  async #followed(changeCursor: string, cursor: string | null): Promise<StoredTree | null> {
    const isBegun = cursor !== null && this.#readsPermissions;
    const tree = await (isBegun ? this.#tree.pending() : this.#tree.committed());
    const of = isBegun ? tree?.followed : tree?.changeCursor;
    if (tree === null || of !== changeCursor) return null;
    // Permissions were switched on or off since.
    return (tree.sharing !== null) === this.#readsPermissions ? tree : null;
  }

  async check(signal: AbortSignal): Promise<string> {
    const { name, driveId, id } = await this.#findRoot(signal);
    const what = driveId === id ? "shared drive" : "folder";
    return `Google Drive: ${this.#account} sees the ${what} "${name}"`;
  }

  async membersOf(group: string, signal: AbortSignal): Promise<string[]> {
    return await directoryMembers(this.#directory, group, signal);
  }

  async ended(): Promise<void> {
    await this.#tree.ended();
  }

  async open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile> {
    const exported = exportTypeOf(textOf(file.metadata["mimeType"]));
    if (exported === null && file.size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
    const id = encodeURIComponent(textOf(file.sourceState?.["targetId"] ?? file.externalId));
    const address =
      exported === null
        ? this.#client.address(`files/${id}`, { alt: "media", supportsAllDrives: true })
        : this.#client.address(`files/${id}/export`, { mimeType: exported });
    const asked = await this.#client.download(address, signal);
    if ("error" in asked) {
      if (asked.error.status === 404) return { outcome: "deleted" };
      throw this.#client.failure(asked.error);
    }
    return openedFrom(asked.got, exported ?? file.mimeType);
  }

  async #findRoot(signal: AbortSignal) {
    return await findRoot(this.#client, this.#config, this.#account, signal);
  }

  async #begin(signal: AbortSignal): Promise<StoredTree> {
    const how = { account: this.#account, withReaders: this.#readsPermissions };
    return await beginTree(this.#client, this.#config, how, signal);
  }

  get #readsPermissions(): boolean {
    return this.#options.readsPermissions === true;
  }

  /** Null: who may read the files is not asked. */
  #readersIn(tree: StoredTree): DriveReaders | null {
    if (tree.sharing === null) return null;
    const [client, account, now] = [this.#client, this.#account, this.#options.now];
    return new DriveReaders({ client, account, now, tree }, tree.sharing);
  }

  /** Null when Drive no longer takes the cursor. */
  async #changesSince(tree: StoredTree, pageToken: string, signal: AbortSignal) {
    const { corpora: _corpora, ...corpus } = corpusOf(tree.driveId);
    const query = {
      ...corpus,
      pageToken,
      pageSize: pageSizeOf(tree),
      includeRemoved: true,
      includeLabels: this.#config.labelIds?.join(","),
      fields:
        "nextPageToken,newStartPageToken," +
        `changes(changeType,fileId,removed,file(${fieldsOf(tree.sharing !== null)}))`,
    };
    const address = this.#client.address("changes", query);
    return await this.#client.find(changeList, address, signal, { absent: EXPIRED });
  }

  async #filesOf(found: DriveFile[], of: Followed, signal: AbortSignal) {
    const readers = this.#readersIn(of.tree);
    const { known } = this.#options;
    return await filesBeneath({ client: this.#client, known, readers }, { found, ...of }, signal);
  }
}

type Followed = { tree: StoredTree; places: FolderTree };

/** Permissions that expire are read again then. */
const againAt = ({ sharing }: StoredTree) =>
  sharing?.expiresAt == null ? {} : { againAt: sharing.expiresAt };

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
