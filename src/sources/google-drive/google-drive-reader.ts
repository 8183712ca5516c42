import { timeIn, type Now } from "../../core/time.ts";
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
import {
  exportTypeOf,
  FILE_FIELDS,
  FOLDER,
  metadataOf,
  versionOf,
  type DriveFile,
} from "./drive-files.ts";
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
  storedTree,
  type StoredTree,
} from "./drive-listing.ts";
import { withTargets } from "./drive-files.ts";
import { driveWatcher } from "./drive-watcher.ts";
import { FolderTree, segmentOf, type FolderPlace } from "../folder-tree.ts";
import type { GoogleDriveConfig, ServiceAccount } from "./google-drive-config.ts";
import { scanState, type ScanState } from "../scan-state.ts";
import { uniquePaths } from "../unique-paths.ts";

const CHANGES_PER_PAGE = 1_000;
/** A change cursor that Drive no longer takes. */
const EXPIRED = [400, 404, 410];

export type GoogleDriveOptions = {
  outgoing: Outgoing;
  now: Now;
  store: ReaderStore;
  known: Pick<KnownFiles, "byPath" | "byExternalId">;
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
      const listed = await listFolders(this.#client, tree, at?.page ?? null, signal);
      await this.#tree.keep(listed.tree);
      const { entries, next } = listed;
      return { files: [], deleted: [], entries, next: JSON.stringify(next) };
    }
    const page = await listFiles(
      this.#client,
      {
        tree,
        page: at.page,
        labelIds: this.#config.labelIds ?? [],
        filesOf: async (files, places) => await this.#filesOf(files, places, signal),
      },
      signal,
    );
    return { ...page, next: page.next === null ? null : JSON.stringify(page.next) };
  }

  async follow(
    changeCursor: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<ListingPage | null> {
    const tree = await this.#tree.committed();
    if (tree === null || tree.changeCursor !== changeCursor) return null;
    const answer = await this.#changesSince(tree, cursor ?? changeCursor, signal);
    if (answer === null) return null;
    const { changes, nextPageToken, newStartPageToken } = answer;
    const places = new FolderTree(tree);
    if (changes.some((change) => movesFiles(change, tree, places))) return null;
    const changed = changes.flatMap((change) => fileThere(change) ?? []);
    const { files, ...unread } = await this.#filesOf(changed, places, signal);
    const listed = new Set(files.map(({ externalId }) => externalId));
    const changedIds = changes.flatMap(({ fileId, file }) => fileId ?? file?.id ?? []);
    const end = nextPageToken === undefined ? (newStartPageToken ?? changeCursor) : null;
    if (end !== null && end !== changeCursor) {
      await this.#tree.keep({ ...tree, changeCursor: end });
    }
    return {
      files,
      ...unread,
      entries: changes.length,
      deleted: changedIds.filter((id) => !listed.has(id)),
      next: nextPageToken ?? null,
      ...(end === null ? {} : { changeCursor: end }),
    };
  }

  async check(signal: AbortSignal): Promise<string> {
    const { name, driveId, id } = await this.#findRoot(signal);
    const what = driveId === id ? "shared drive" : "folder";
    return `Google Drive: ${this.#account} sees the ${what} "${name}"`;
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
    return await beginTree(this.#client, this.#config, this.#account, signal);
  }

  /** Null when Drive no longer takes the cursor. */
  async #changesSince({ driveId }: StoredTree, pageToken: string, signal: AbortSignal) {
    const { corpora: _corpora, ...corpus } = corpusOf(driveId);
    const query = {
      ...corpus,
      pageToken,
      pageSize: CHANGES_PER_PAGE,
      includeRemoved: true,
      includeLabels: this.#config.labelIds?.join(","),
      fields:
        "nextPageToken,newStartPageToken," +
        `changes(changeType,fileId,removed,file(${FILE_FIELDS}))`,
    };
    const address = this.#client.address("changes", query);
    return await this.#client.find(changeList, address, signal, { absent: EXPIRED });
  }

  /** Those files that lie beneath the root, shortcuts as what they lead to. */
  async #filesOf(found: DriveFile[], places: FolderTree, signal: AbortSignal) {
    const inside = found.flatMap((file) => {
      const place = places.placeOf(file.parents?.[0] ?? "");
      return place === null || file.mimeType === FOLDER ? [] : [{ file, place }];
    });
    const { readable, unreadable } = await withTargets(this.#client, inside, signal);
    const paths = await uniquePaths(
      this.#options.known,
      readable.map(({ file, place }) => ({
        id: file.id,
        path: pathOf(place, file),
      })),
    );
    const files = readable.map(({ file, place, target }) =>
      listedFile(file, { target, path: paths.get(file.id) ?? "", ancestors: place.ancestors }),
    );
    const problems = unreadable.map(({ file, place, reason }) => ({
      path: pathOf(place, file),
      message: reason,
    }));
    return { files, skipped: problems.length, problems };
  }
}

const pathOf = ({ path }: FolderPlace, { name }: DriveFile) => `${path}${segmentOf(name)}`;

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

function listedFile(
  file: DriveFile,
  { target, path, ancestors }: { target: DriveFile; path: string; ancestors: string[] },
): ListedFile {
  return {
    path,
    externalId: file.id,
    url: file.webViewLink ?? null,
    name: file.name,
    size: target.size ?? 0,
    mimeType: exportTypeOf(target.mimeType) ?? target.mimeType,
    version: versionOf(target),
    metadata: metadataOf({ ...target, webViewLink: file.webViewLink }, ancestors),
    sourceState: target.id === file.id ? null : { targetId: target.id },
    modifiedAt: timeIn(target.modifiedTime ?? ""),
  };
}
