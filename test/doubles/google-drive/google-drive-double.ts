import { download, errorAnswer, hashOf, json, type Item } from "./answers.ts";
import { PushNetwork } from "../push-network.ts";
import { BASE, ServiceAccountDouble } from "./service-account-double.ts";
import { parseFields, selected } from "./partial-response.ts";
import { WatchChannels } from "./watch-channels.ts";

/*
 * Google Drive v3 as far as a reader uses them, in memory:
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
export { BASE };

const FOLDER = "application/vnd.google-apps.folder";
const EXPORT_LIMIT_BYTES = 10 * 1_024 * 1_024;
/** What a file is answered with when no fields are asked for. */
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
  readonly asked: string[] = [];
  readonly failures: Failure[] = [];
  readonly root: string;
  readonly account = new ServiceAccountDouble();
  /** What the double takes for the present, ms. */
  now: () => number = () => Date.now();
  readonly network = new PushNetwork();
  readonly channels = new WatchChannels(this.network, () => this.now());
  pageSize = 1_000;
  /** Page tokens below this are no longer taken. */
  oldestToken = 1;
  readonly #changes: string[] = [];
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
    if (change.content !== undefined) item.modifiedTime = this.#time();
    Object.assign(item, change);
    this.#changed(id);
  }

  /** No page token that was given until now is taken any more. */
  expireCursors(): void {
    this.oldestToken = this.#changes.length + 1;
  }

  /** Deleted for good, with all beneath. */
  delete(id: string): void {
    for (const child of this.childrenOf(id)) this.delete(child.id);
    this.items.delete(id);
    this.#changed(id);
  }

  childrenOf(id: string): Item[] {
    return [...this.items.values()].filter(({ parents }) => parents[0] === id);
  }

  fail(failure: Omit<Failure, "times"> & { times?: number }): void {
    this.failures.push({ times: 1, ...failure });
  }

  /** What the platform's `fetch` answers. */
  readonly fetch = async (address: string, request: RequestInit = {}): Promise<Response> => {
    request.signal?.throwIfAborted();
    const url = new URL(address);
    const path = url.pathname;
    this.asked.push(`${request.method ?? "GET"} ${path}${url.search}`);
    const failure = this.failures.find((each) => each.times > 0 && each.path.test(path));
    if (failure !== undefined) {
      failure.times--;
      return errorAnswer(failure.status, failure.reason ?? "backendError", failure.headers);
    }
    const sent = await new Response(request.body ?? null).text();
    if (path === "/token") return await this.account.grant(sent);
    const token = new Headers(request.headers).get("authorization")?.replace("Bearer ", "");
    if (!this.account.takes(token)) return errorAnswer(401, "authError");
    const method = path.replace("/drive/v3/", "");
    if (request.method === "POST") return this.#post(method, sent, url.searchParams);
    return this.#route(method, url.searchParams);
  };

  #post(path: string, sent: string, query: URLSearchParams): Response {
    if (path === "channels/stop") return this.channels.stop(sent);
    if (path !== "changes/watch") return errorAnswer(404, "notFound");
    if (!Number.isInteger(Number(query.get("pageToken") || Number.NaN))) {
      return errorAnswer(400, "invalid");
    }
    return this.channels.watch(sent);
  }

  #route(path: string, query: URLSearchParams): Response {
    if (path === "files") return this.#list(query);
    if (path === "changes") return this.#changeList(query);
    if (path === "changes/startPageToken") {
      return json({
        kind: "drive#startPageToken",
        startPageToken: String(this.#changes.length + 1),
      });
    }
    const [, id = "", verb] = /^files\/([^/]+)(?:\/(export))?$/.exec(path) ?? [];
    const item = this.items.get(decodeURIComponent(id));
    if (item === undefined || !this.isVisible(item)) return errorAnswer(404, "notFound");
    if (verb === "export") return this.#export(item, query);
    if (query.get("alt") === "media") return download(item);
    return json(
      selected(this.#shown(item), parseFields(query.get("fields") ?? DEFAULT_FILE_FIELDS)),
    );
  }

  #list(query: URLSearchParams): Response {
    const q = query.get("q") ?? "";
    const [, sign, mimeType] = /^mimeType (!?=) '([^']+)' and trashed = false$/.exec(q) ?? [];
    if (mimeType === undefined) return errorAnswer(400, "invalid");
    const items = [...(this.#snapshot ?? this.items).values()]
      .filter((item) => this.isVisible(item) && !this.isTrashed(item))
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

  /** Of a file that changed several times only the last is told. */
  #changeList(query: URLSearchParams): Response {
    const from = Number(query.get("pageToken"));
    if (!Number.isInteger(from) || from < this.oldestToken) return errorAnswer(400, "invalid");
    const size = Math.min(this.pageSize, Number(query.get("pageSize") ?? 100));
    const end = Math.min(from - 1 + size, this.#changes.length);
    const ids = [...new Set(this.#changes.slice(from - 1, end))];
    const changes = ids.map((fileId) => {
      const item = this.items.get(fileId);
      const removed = item === undefined || !this.isVisible(item);
      const file = removed ? undefined : this.#shown(item);
      return { kind: "drive#change", changeType: "file", fileId, removed, file };
    });
    const isEnd = end >= this.#changes.length;
    const tokens = isEnd
      ? { newStartPageToken: String(this.#changes.length + 1) }
      : { nextPageToken: String(end + 1) };
    const body = { kind: "drive#changeList", ...tokens, changes };
    return json(selected(body, parseFields(query.get("fields") ?? "changes")));
  }

  #export(item: Item, query: URLSearchParams): Response {
    if (!item.mimeType.startsWith("application/vnd.google-apps.")) {
      return errorAnswer(403, "fileNotExportable");
    }
    if (!item.downloadable) return errorAnswer(403, "cannotExportFile");
    if (item.content.length > EXPORT_LIMIT_BYTES) {
      return errorAnswer(403, "exportSizeLimitExceeded");
    }
    return new Response(item.content, { headers: { "content-type": query.get("mimeType") ?? "" } });
  }

  isVisible(item: Item): boolean {
    if (!item.shared) return false;
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
    return {
      kind: "drive#file",
      id,
      name,
      mimeType,
      trashed: this.isTrashed(item),
      modifiedTime,
      createdTime: modifiedTime,
      webViewLink: `https://drive.google.com/file/d/${id}/view`,
      owners: [{ kind: "drive#user", emailAddress: owner }],
      ...(parents.length === 0 ? {} : { parents }),
      ...(isGoogles ? {} : { size: String(content.length), md5Checksum: hashOf(content) }),
      ...(target === undefined
        ? {}
        : {
            shortcutDetails: { targetId: target, targetMimeType: this.items.get(target)?.mimeType },
          }),
    };
  }

  #add(given: Pick<Item, "name" | "mimeType" | "parents"> & Partial<Item>): string {
    const id = `1id${String(this.#next++).padStart(6, "0")}`;
    const facts = { trashed: false, shared: true, content: "", owner: "ann@example.com" };
    this.items.set(id, {
      ...facts,
      downloadable: true,
      modifiedTime: this.#time(),
      ...given,
      id,
    });
    this.#changed(id);
    return id;
  }

  #item(id: string): Item {
    const item = this.items.get(id);
    if (item === undefined) throw new Error(`there is no ${id}`);
    return item;
  }

  #changed(id: string): void {
    this.#changes.push(id);
    this.channels.changed();
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
