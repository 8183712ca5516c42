import { sha256Hex } from "../../core/hash.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { ListedFile, ListingPage, OpenedFile } from "../../ports/source-reader.ts";
import type { SourceReader } from "../../ports/source-reader.ts";
import type { SourceWatcher } from "../../ports/source-watcher.ts";
import { accessTokens } from "../access-tokens.ts";
import { withoutSlash, type Api } from "../api-client.ts";
import { segmentOf } from "../folder-tree.ts";
import { closeUnread } from "../listed-items.ts";
import { scanState, type ScanState } from "../scan-state.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { entraTokens, type EntraApp } from "./entra-token.ts";
import { findRoot, listLibraries, nameDrives } from "./find-drives.ts";
import { API_BASE_URL, graphApi } from "./graph-client.ts";
import { SITE_GROUP } from "./graph-permission.ts";
import { graphWatcher } from "./graph-watcher.ts";
import { entraMembers, siteGroupMembers } from "./group-members.ts";
import { itemFiles, type ItemFiles } from "./item-files.ts";
import { readDomains, readSharing, SHARING_PREFERENCES } from "./item-readers.ts";
import { openItem } from "./open-item.ts";
import { applyFolders, findMissingFolders, readDelta } from "./read-delta.ts";
import type { DocumentSiteConfig } from "./sharepoint-config.ts";
import { position, storedDrives } from "./stored-drives.ts";
import type { FollowedDrive, Position, StoredDrives } from "./stored-drives.ts";

/** A listing whose links expire again and again is given up. */
const MAX_RESTARTS = 3;
const FILES_KEPT_A_PAGE = 500;
/** Names of a site's libraries in the sentence about what can be seen. */
const NAMES_SHOWN = 10;

/** A page of a drive's feed, applied to what is stored of the drive. */
type ReadPage = ItemFiles &
  Required<Pick<ListingPage, "unread" | "entries">> & { moved: boolean; next: Position | null };

/**
 * SharePoint libraries and OneDrive by Microsoft Graph: the change feed from its beginning is the
 * listing. A renamed or moved folder changes paths of files that the feed does not name: then
 * everything is listed again, which costs no download.
 */
export class SharePointReader implements SourceReader {
  readonly #config: DocumentSiteConfig;
  readonly #options: DriveOptions;
  readonly #graph: Api;
  readonly #app: EntraApp;
  /** Asks for change feeds. */
  readonly #feeds: Api;
  readonly #drives: ScanState<StoredDrives>;
  readonly watcher: SourceWatcher;

  constructor(config: DocumentSiteConfig, clientSecret: string, options: DriveOptions) {
    const { outgoing, now } = options;
    const { tenantId, clientId, loginBaseUrl, siteId, driveId } = config;
    const apiBaseUrl = withoutSlash(config.apiBaseUrl ?? API_BASE_URL);
    const app = { tenantId, clientId, clientSecret, loginBaseUrl, apiBaseUrl };
    const what = driveId === undefined ? (siteId ?? "") : `drive ${driveId}`;
    this.#config = config;
    this.#app = app;
    this.#options = options;
    this.#drives = scanState(options.store, "drives", storedDrives);
    const tokens = accessTokens(entraTokens(app, now), outgoing, now);
    const remedy = `app ${clientId} may not read ${what}: grant it the role read on the site`;
    const graph = (prefer?: string) =>
      graphApi({ outgoing, now, tokens }, { apiBaseUrl, remedy }, prefer);
    this.#graph = graph();
    this.#feeds = graph(this.#withReaders ? SHARING_PREFERENCES : undefined);
    this.watcher = graphWatcher(this.#graph, now, async (client) => {
      const { drives } = await nameDrives(client, config);
      return drives.map(({ id }) => id);
    });
  }

  async check(signal: AbortSignal): Promise<string> {
    const client = this.#graph(signal);
    const drives = await nameDrives(client, this.#config);
    const single = drives.siteId === null ? drives.drives[0] : undefined;
    if (single !== undefined) await findRoot(client, single, this.#config.rootFolderId);
    const names = drives.drives.map(({ name }) => `"${name}"`).slice(0, NAMES_SHOWN);
    const what =
      drives.siteId === null ? "library" : `site and its ${drives.drives.length} libraries`;
    return `SharePoint: the app sees the ${what} ${names.join(", ")}`;
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const at = cursor === null ? null : position.parse(JSON.parse(cursor));
    return await this.#list(at, at?.restarts ?? 0, signal);
  }

  async #list(at: Position | null, restarts: number, signal: AbortSignal): Promise<ListingPage> {
    const drives = at === null ? await this.#begin(signal) : await this.#drives.pending();
    // State that was kept between pages may be lost, or of another listing.
    if (drives !== null && (at === null || drives.run === at.run)) {
      const start = at ?? { run: drives.run, drive: 0, link: null, restarts };
      const page = await this.#readPage(drives, start, signal);
      if (page !== null) {
        return await this.#listingPage({ ...drives, moved: drives.moved || page.moved }, page);
      }
    }
    if (restarts >= MAX_RESTARTS) throw new SourceFailure("down", EXPIRING);
    return { ...(await this.#list(null, restarts + 1, signal)), restarted: true };
  }

  async follow(changeCursor: string, cursor: string | null, signal: AbortSignal) {
    const at = cursor === null ? null : position.parse(JSON.parse(cursor));
    const drives =
      at === null
        ? await this.#resumeDrives(changeCursor, signal)
        : await this.#readContinued(changeCursor, at);
    if (drives === null || this.#isOutdated(drives)) return null;
    const link = drives.drives[0]?.link ?? null;
    const start = at ?? { run: drives.run, drive: 0, link, restarts: 0 };
    const page = await this.#readPage(drives, start, signal);
    if (page === null || page.moved) return null;
    return await this.#listingPage(drives, page);
  }

  async membersOf(group: string, signal: AbortSignal): Promise<string[]> {
    const graph = this.#graph(signal);
    if (!group.startsWith(SITE_GROUP)) return await entraMembers(graph, group);
    const { drives } = await nameDrives(graph, this.#config);
    const driveIds = drives.map(({ id }) => id);
    const connection = { ...this.#options, app: this.#app };
    return await siteGroupMembers({ graph, connection, driveIds }, group, signal);
  }

  async finishListing(): Promise<void> {
    await this.#drives.commitPending();
  }

  async open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile> {
    return await openItem(this.#graph(signal), file);
  }

  get #withReaders(): boolean {
    return this.#options.readsPermissions === true;
  }

  /** Without the readers that are requested, or with those of a permission that has expired. */
  #isOutdated({ drives, expiresAt }: StoredDrives): boolean {
    const hasReaders = drives.every(({ sharing }) => sharing !== null);
    const isExpired = expiresAt !== null && expiresAt <= this.#options.now();
    return this.#withReaders && (isExpired || !hasReaders);
  }

  /** Files of a site's libraries lie in a folder of the library's name. */
  #newDrives(drives: { id: string; name: string }[], siteId: string | null): FollowedDrive[] {
    return drives.map(({ id, name }) => {
      const base = siteId === null ? "" : `${segmentOf(name)}/`;
      const sharing = this.#withReaders ? {} : null;
      return { id, name, base, root: "", link: null, folders: {}, sharing, refusal: null };
    });
  }

  async #begin(signal: AbortSignal): Promise<StoredDrives> {
    const run = crypto.randomUUID();
    const client = this.#graph(signal);
    const { siteId, drives } = await nameDrives(client, this.#config);
    const domains = this.#withReaders ? await readDomains(client) : [];
    const facts = { cursor: null, run, from: null, moved: false, siteId, domains, expiresAt: null };
    return { ...facts, drives: this.#newDrives(drives, siteId) };
  }

  async #readContinued(from: string, { run }: Position): Promise<StoredDrives | null> {
    const storedDrives = await this.#drives.pending();
    return storedDrives?.from === from && storedDrives.run === run ? storedDrives : null;
  }

  /** The drives as a feed begins: libraries may have come since. Null when some are no more. */
  async #resumeDrives(from: string, signal: AbortSignal): Promise<StoredDrives | null> {
    const storedDrives = await this.#drives.committed();
    if (storedDrives?.cursor !== from) return null;
    const drives = { ...storedDrives, cursor: null, run: crypto.randomUUID(), from };
    if (storedDrives.siteId === null) return drives;
    const client = this.#graph(signal);
    const { siteId } = storedDrives;
    const libraries = await listLibraries(client, siteId);
    const names = new Map(libraries.map(({ id, name }) => [id, name]));
    if (storedDrives.drives.some(({ id, name }) => names.get(id) !== name)) return null;
    const knownIds = new Set(storedDrives.drives.map(({ id }) => id));
    const added = libraries.filter(({ id }) => !knownIds.has(id));
    return { ...drives, drives: [...storedDrives.drives, ...this.#newDrives(added, siteId)] };
  }

  /**
   * One library of a site that refuses to be read does not keep the others from it. Null when the
   * link has expired, or the drive has gone.
   */
  async #readPage(state: StoredDrives, at: Position, signal: AbortSignal) {
    const { siteId, drives, from } = state;
    const drive = drives[at.drive];
    if (drive === undefined) return await this.#keepFiles(drives, at);
    // A listing kept its files: only another one shows which of them have gone.
    const isUnlisted = from !== null && drive.link === null && drive.refusal !== null;
    try {
      drive.refusal = null;
      const page = await this.#readDrive(state, drive, at, signal);
      return isUnlisted ? null : page;
    } catch (thrown) {
      if (!(thrown instanceof SourceFailure) || thrown.kind !== "denied") throw thrown;
      const { message } = thrown;
      drive.refusal = message;
      const isLast = at.drive === drives.length - 1;
      if (siteId === null || (isLast && drives.every(({ refusal }) => refusal !== null)))
        throw thrown;
      const problems = [{ path: drive.base, message }];
      return { ...NO_FILES, problems, entries: 1, next: nextDrive(state, at) };
    }
  }

  /** Files of libraries that refused would count as deleted: the listing does not name them. */
  async #keepFiles(drives: FollowedDrive[], at: Position): Promise<ReadPage> {
    const refusals = new Map(drives.map(({ id, refusal }) => [id, refusal]));
    const earlierFiles = await this.#options.known.all(at.link, FILES_KEPT_A_PAGE);
    const files = earlierFiles.flatMap((file) => {
      const message = refusals.get(String(file.sourceState?.["driveId"])) ?? null;
      return message === null ? [] : [{ ...file, failure: { kind: "denied" as const, message } }];
    });
    const link = earlierFiles[FILES_KEPT_A_PAGE - 1]?.path;
    const next = link === undefined ? null : { ...at, link };
    return { ...NO_FILES, files, entries: earlierFiles.length, next };
  }

  async #readDrive(
    storedDrives: StoredDrives,
    drive: FollowedDrive,
    at: Position,
    signal: AbortSignal,
  ) {
    const { siteId } = storedDrives;
    const client = this.#graph(signal);
    const { rootFolderId } = this.#config;
    drive.root ||= await findRoot(client, drive, siteId === null ? rootFolderId : undefined);
    const page = await readDelta(this.#feeds(signal), drive, at.link);
    if (page === null && at.restarts >= MAX_RESTARTS) throw new SourceFailure("denied", EXPIRING);
    if (page === null) return null;
    const { items, unread, nextLink, deltaLink } = page;
    const movedFolders = applyFolders(drive, items);
    const folders = await findMissingFolders(client, drive, items);
    const reading = { client, now: this.#options.now(), drives: storedDrives, drive };
    const isFirst = at.link === drive.link;
    const moved = (await readSharing(reading, { items, asked: folders, isFirst })) || movedFolders;
    const { known: knownFiles } = this.#options;
    const listing = await itemFiles(items, drive, knownFiles);
    const closure = await closeUnread(this.#withReaders ? knownFiles : null, unread);
    const files = [...listing.files, ...closure.files];
    const pageFiles = { ...listing, ...closure, files, entries: items.length, moved };
    if (nextLink !== null) return { ...pageFiles, next: { ...at, link: nextLink } };
    drive.link = deltaLink;
    // Libraries without changes are no listing without an end.
    return { ...pageFiles, entries: items.length + 1, next: nextDrive(storedDrives, at) };
  }

  async #listingPage(drives: StoredDrives, page: ReadPage): Promise<ListingPage> {
    const { files, deleted, problems, unread, entries, next } = page;
    // Stands for the places that all feeds have reached.
    const places = JSON.stringify(drives.drives.map(({ id, link }) => [id, link]));
    const cursor = next === null ? await sha256Hex(places) : null;
    await this.#drives.keep({ ...drives, cursor });
    return {
      files,
      deleted,
      entries,
      skipped: problems.length,
      problems,
      unread,
      next: next === null ? null : JSON.stringify(next),
      // Without a cursor the next scan lists everything again, with the paths as they are then.
      ...(cursor === null || drives.moved ? {} : { changeCursor: cursor }),
      ...(drives.expiresAt === null ? {} : { againAt: drives.expiresAt }),
    };
  }
}

const EXPIRING = "SharePoint: the listing's links expire before their use";
const NO_FILES = { files: [], deleted: [], problems: [], unread: [], entries: 0, moved: false };

function nextDrive({ drives, from }: StoredDrives, { run, restarts, drive: at }: Position) {
  const keeps = from === null && drives.some(({ refusal }) => refusal !== null);
  if (at + 1 === drives.length && !keeps) return null;
  return { run, restarts, drive: at + 1, link: drives[at + 1]?.link ?? null };
}
