import { PushNetwork } from "../push-network.ts";
import { download, errorAnswer, exported, hashOf, json, NEW_ITEM, type Item } from "./answers.ts";
import { ChangeLogs, type LogOwner } from "./change-logs.ts";
import { DirectoryDouble } from "./directory-double.ts";
import { parseFields, selected } from "./partial-response.ts";
import { PermissionsDouble } from "./permissions.ts";
import { BASE, ServiceAccountDouble } from "./service-account-double.ts";
import { SharedDrives } from "./shared-drives.ts";
import { WatchChannels } from "./watch-channels.ts";

/*
 * Google Drive v3 as far as a reader uses them, in memory:
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
export { BASE };

const FOLDER = "application/vnd.google-apps.folder";
/** Fields of a file's answer when none are asked for. */
const DEFAULT_FILE_FIELDS = "kind,id,name,mimeType";

type Failure = {
  path: RegExp;
  status: number;
  reason?: string;
  headers?: Record<string, string>;
  times: number;
};

/** One service account's view of a drive; every change has a number, as in the feed. */
export class GoogleDriveDouble {
  readonly items = new Map<string, Item>();
  readonly requests: string[] = [];
  readonly failures: Failure[] = [];
  readonly root: string;
  readonly account = new ServiceAccountDouble();
  /** The double's clock, ms. */
  now: () => number = () => Date.now();
  readonly network = new PushNetwork();
  readonly channels = new WatchChannels(this.network, () => this.now());
  pageSize = 1_000;
  readonly logs = new ChangeLogs();
  readonly sharedDrives = new SharedDrives(this.items);
  readonly directory = new DirectoryDouble();
  readonly permissions = new PermissionsDouble(this.items);
  #snapshot: Map<string, Item> | null = null;
  #next = 0;
  #clock = Date.UTC(2026, 0, 1);

  constructor() {
    this.root = this.folder(null, "Handbook");
  }

  static async open(): Promise<GoogleDriveDouble> {
    const drive = new GoogleDriveDouble();
    await drive.account.makeKey();
    return drive;
  }

  /** A shared drive that the account is a member of; its id is that of its top folder. */
  sharedDrive(name: string): string {
    const id = this.folder(null, name);
    this.sharedDrives.add({ id, name, isMember: true });
    return id;
  }

  folder(parent: string | null, name: string): string {
    return this.#add({ name, mimeType: FOLDER, parents: parent === null ? [] : [parent] });
  }

  file(parent: string, name: string, content: string, mimeType = "text/plain"): string {
    return this.#add({ name, mimeType, parents: [parent], content });
  }

  shortcut(parent: string, name: string, target: string): string {
    const mimeType = "application/vnd.google-apps.shortcut";
    return this.#add({ name, mimeType, parents: [parent], target });
  }

  /** Changes an item; what it holds counts as a change of its bytes. */
  change(id: string, change: Partial<Item>): void {
    const item = this.#item(id);
    const before = this.sharedDrives.ownerOf(item);
    if (change.content !== undefined) item.modifiedTime = this.#time();
    Object.assign(item, change);
    this.#changed(id, before);
  }

  /** No page token that was given until now is taken any more. */
  expireCursors(): void {
    this.logs.expire();
  }

  /** Deleted for good, with all beneath. */
  delete(id: string): void {
    for (const child of this.childrenOf(id)) this.delete(child.id);
    const owner = this.sharedDrives.ownerOf(this.items.get(id));
    this.items.delete(id);
    this.#changed(id, owner);
  }

  childrenOf(id: string): Item[] {
    return [...this.items.values()].filter(({ parents }) => parents[0] === id);
  }

  fail(failure: Omit<Failure, "times"> & { times?: number }): void {
    this.failures.push({ times: 1, ...failure });
  }

  /** Stands in for the platform's `fetch`. */
  readonly fetch = async (address: string, request: RequestInit = {}): Promise<Response> => {
    request.signal?.throwIfAborted();
    const url = new URL(address);
    const path = url.pathname;
    this.requests.push(`${request.method ?? "GET"} ${path}${url.search}`);
    const failure = this.failures.find((each) => each.times > 0 && each.path.test(path));
    if (failure !== undefined) {
      failure.times--;
      return errorAnswer(failure.status, failure.reason ?? "backendError", failure.headers);
    }
    const body = await new Response(request.body ?? null).text();
    if (path === "/token") return await this.account.grant(body);
    const token = new Headers(request.headers).get("authorization")?.replace("Bearer ", "");
    if (!this.account.takes(token, path)) return errorAnswer(401, "authError");
    if (path.startsWith("/admin/")) return this.directory.members(url);
    const method = path.replace("/drive/v3/", "");
    if (request.method === "POST") return this.#post(method, body, url.searchParams);
    return this.#route(method, url.searchParams);
  };

  #post(path: string, body: string, query: URLSearchParams): Response {
    if (path === "channels/stop") return this.channels.stop(body);
    if (path !== "changes/watch") return errorAnswer(404, "notFound");
    if (!Number.isInteger(Number(query.get("pageToken") || Number.NaN))) {
      return errorAnswer(400, "invalid");
    }
    const target = this.sharedDrives.targetOf(query);
    return target instanceof Response ? target : this.channels.watch(body, target.owner);
  }

  #route(path: string, query: URLSearchParams): Response {
    if (path === "files") return this.#list(query);
    if (path === "changes") return this.#changeList(query);
    if (path === "changes/startPageToken") return this.#startPageToken(query);
    if (path.startsWith("drives/")) return this.sharedDrives.get(path.slice("drives/".length));
    return this.#ofFile(path, query);
  }

  #ofFile(path: string, query: URLSearchParams): Response {
    const [, id = "", verb] = /^files\/([^/]+)(?:\/(export|permissions))?$/.exec(path) ?? [];
    const item = this.items.get(decodeURIComponent(id));
    if (item === undefined || !this.isVisible(item)) return errorAnswer(404, "notFound");
    if (verb === "export") return exported(item, query);
    if (!this.sharedDrives.isToldOf(item, query)) return errorAnswer(404, "notFound");
    if (verb === "permissions") return this.permissions.list(item, query);
    if (query.get("alt") === "media") return download(item);
    return json(
      selected(this.#shown(item), parseFields(query.get("fields") ?? DEFAULT_FILE_FIELDS)),
    );
  }

  #startPageToken(query: URLSearchParams): Response {
    const owner = query.get("driveId");
    const isAware = query.get("supportsAllDrives") === "true";
    if (owner !== null && !isAware) return errorAnswer(400, "invalid");
    const startPageToken = this.logs.startToken(owner);
    return json({ kind: "drive#startPageToken", startPageToken });
  }

  #list(query: URLSearchParams): Response {
    const target = this.sharedDrives.askedOfList(query);
    if (target instanceof Response) return target;
    const q = query.get("q") ?? "";
    const [, sign, mimeType] = /^mimeType (!?=) '([^']+)' and trashed = false$/.exec(q) ?? [];
    if (mimeType === undefined) return errorAnswer(400, "invalid");
    const items = [...(this.#snapshot ?? this.items).values()]
      .filter((item) => this.sharedDrives.ownerOf(item) === target.owner)
      .filter((item) => this.isVisible(item) && !this.isTrashed(item))
      .filter((item) => !this.sharedDrives.isTopFolder(item))
      .filter((item) => (item.mimeType === mimeType) === (sign === "="));
    return this.#page(
      "files",
      items.map((item) => this.#shown(item)),
      query,
    );
  }

  #page(name: string, all: unknown[], query: URLSearchParams): Response {
    const size = Math.min(this.pageSize, Number(query.get("pageSize") ?? 100));
    const from = Number((query.get("pageToken") ?? "~0").slice(1));
    if (!Number.isInteger(from)) return errorAnswer(400, "invalid");
    const end = from + size;
    const next = end < all.length ? { nextPageToken: `~${end}` } : {};
    const body = { kind: "drive#fileList", ...next, [name]: all.slice(from, end) };
    return json(selected(body, parseFields(query.get("fields") ?? name)));
  }

  #changeList(query: URLSearchParams): Response {
    const target = this.sharedDrives.targetOf(query);
    if (target instanceof Response) return target;
    const size = Math.min(this.pageSize, Number(query.get("pageSize") ?? 100));
    const page = this.logs.page(target.owner, query.get("pageToken"), size);
    if (page === null) return errorAnswer(400, "invalid");
    const changes = page.ids.map((fileId) => {
      const item = this.items.get(fileId);
      // The account's own log also tells of items that are in shared drives by now.
      const isThere =
        item !== undefined &&
        (target.owner === null || this.sharedDrives.ownerOf(item) === target.owner);
      const file = isThere && this.isVisible(item) ? this.#shown(item) : undefined;
      const removed = file === undefined;
      return { kind: "drive#change", changeType: "file", fileId, removed, file };
    });
    const body = { kind: "drive#changeList", ...page.tokens, changes };
    return json(selected(body, parseFields(query.get("fields") ?? "changes")));
  }

  isVisible(item: Item): boolean {
    if (item.id === this.sharedDrives.sharedFolder) return true;
    if (!item.shared || !this.sharedDrives.admits(item)) return false;
    const parent = this.items.get(item.parents[0] ?? "");
    return parent === undefined || this.isVisible(parent);
  }

  isTrashed(item: Item): boolean {
    const parent = this.items.get(item.parents[0] ?? "");
    return item.trashed || (parent !== undefined && this.isTrashed(parent));
  }

  #shown(item: Item) {
    const { id, name, mimeType, parents, modifiedTime, content, owner, target } = item;
    const isGoogles = mimeType.startsWith("application/vnd.google-apps.");
    const driveId = this.sharedDrives.ownerOf(item);
    return {
      kind: "drive#file",
      id,
      name,
      mimeType,
      trashed: this.isTrashed(item),
      modifiedTime,
      createdTime: modifiedTime,
      webViewLink: `https://drive.google.com/file/d/${id}/view`,
      ...(driveId === null
        ? { owners: [{ kind: "drive#user", emailAddress: owner }] }
        : { driveId }),
      ...(parents.length === 0 ? {} : { parents }),
      ...this.permissions.fieldsOf(item, driveId),
      ...(isGoogles ? {} : { size: String(content.length), md5Checksum: hashOf(content) }),
      ...(target === undefined
        ? {}
        : {
            shortcutDetails: { targetId: target, targetMimeType: this.items.get(target)?.mimeType },
          }),
    };
  }

  #add(fields: Pick<Item, "name" | "mimeType" | "parents"> & Partial<Item>): string {
    const id = `1id${String(this.#next++).padStart(6, "0")}`;
    this.items.set(id, {
      ...NEW_ITEM,
      grants: [],
      modifiedTime: this.#time(),
      ...fields,
      id,
    });
    this.#changed(id, this.sharedDrives.ownerOf(this.items.get(id)));
    return id;
  }

  #item(id: string): Item {
    const item = this.items.get(id);
    if (item === undefined) throw new Error(`there is no ${id}`);
    return item;
  }

  /** Logs a change, also in the drive that the item has left. */
  #changed(id: string, before: LogOwner = null): void {
    const item = this.items.get(id);
    const owners = item === undefined ? [before] : [before, this.sharedDrives.ownerOf(item)];
    for (const owner of new Set(owners)) {
      this.logs.add(owner, id);
      this.channels.changed(owner);
    }
  }

  /** A listing shows the drive as it is now until `catchUp`; the feed does not wait. */
  lag(): void {
    this.#snapshot = new Map([...this.items].map(([id, item]) => [id, { ...item }]));
  }

  catchUp(): void {
    this.#snapshot = null;
  }

  #time(): string {
    this.#clock += 1_000;
    return new Date(this.#clock).toISOString();
  }
}
