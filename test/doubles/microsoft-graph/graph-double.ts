import { PushNetwork } from "../push-network.ts";
import { errorAnswer, json, selected, shownItem, type Item } from "./answers.ts";
import { DriveDouble } from "./drive-double.ts";
import { EntraDouble } from "./entra-double.ts";
import { groupAnswer, type Group } from "./groups.ts";
import { listPermissions } from "./permissions.ts";
import { SubscriptionsDouble } from "./subscriptions-double.ts";

/*
 * Microsoft Graph v1.0 as far as a reader uses it, in memory:
 * https://learn.microsoft.com/graph/api/resources/onedrive
 * https://learn.microsoft.com/graph/api/driveitem-get-content
 */
const BASE = "https://graph.example";
export const LOGIN_BASE = "https://login.example";
const CONTENT_BASE = "https://contoso.sharepoint.example";
const DOWNLOAD_URL_MS = 60 * 60_000;
const SITE_USERS_A_PAGE = 2;

type Failure = {
  path: RegExp;
  status: number;
  code?: string;
  headers?: Record<string, string>;
  times: number;
};

type Site = { id: string; address: string; granted: boolean; drives: DriveDouble[] };

/** One tenant: its app in Entra, its sites with libraries, and drives outside of sites. */
export class GraphDouble {
  readonly entra = new EntraDouble();
  readonly sites: Site[] = [];
  readonly drives = new Map<string, DriveDouble>();
  readonly requests: string[] = [];
  readonly failures: Failure[] = [];
  /** Whether the app is told who may read items. */
  hasFullControl = true;
  readonly groups = new Map<string, Group>();
  mayReadGroups = true;
  /** Members of sites' own groups, as claims, by the group's number. */
  readonly siteGroups = new Map<number, string[]>();
  mayReadSiteGroups = true;
  /** Domains that `organization` answers; null: the app may not read it. */
  domains: string[] | null = ["contoso.example"];
  /** Whether an administrator consented to the app's permission. */
  consented = true;
  /** Requests for bytes that brought an access token along. */
  leakedTokens = 0;
  baseUrl = BASE;
  contentBase = CONTENT_BASE;
  now = () => Date.now();
  /** Whether the app's permission is enough for subscriptions. */
  mayBeNotified = true;
  readonly network = new PushNetwork();
  readonly subscriptions = new SubscriptionsDouble(this.network, () => this.now());
  readonly #downloads = new Map<string, { item: Item; expiresAt: number }>();

  /** A site at `https://contoso.sharepoint.example/sites/NAME`, with one library. */
  site(name: string): Site & { library: DriveDouble } {
    const id = `contoso.sharepoint.example,${name}-site,${name}-web`;
    const address = `contoso.sharepoint.example:/sites/${name}`;
    const site: Site = { id, address, granted: true, drives: [] };
    this.sites.push(site);
    return Object.assign(site, { library: this.library(site, "Documents") });
  }

  library(site: Site, name: string): DriveDouble {
    const drive = this.drive(name);
    site.drives.push(drive);
    return drive;
  }

  /** A drive of no site, as a OneDrive is. */
  drive(name: string): DriveDouble {
    const drive = new DriveDouble(
      `b!${(this.drives.size + 10).toString(36).padStart(6, "0")}`,
      name,
    );
    drive.onChange = () => this.subscriptions.changed(drive.id);
    this.drives.set(drive.id, drive);
    return drive;
  }

  removeLibrary(site: Site, drive: DriveDouble): void {
    this.drives.delete(drive.id);
    site.drives = site.drives.filter((each) => each !== drive);
  }

  fail(failure: Omit<Failure, "times"> & { times?: number }): void {
    this.failures.push({ times: 1, ...failure });
  }

  /** Stands in for the platform's `fetch`. */
  readonly fetch = async (address: string, request: RequestInit = {}): Promise<Response> => {
    request.signal?.throwIfAborted();
    const url = new URL(address);
    const method = request.method ?? "GET";
    this.requests.push(`${method} ${decodeURIComponent(url.pathname)}`);
    const headers = new Headers(request.headers);
    const body = await new Response(request.body ?? null).text();
    return this.#failureOf(url.pathname) ?? (await this.#answer(method, url, headers, body));
  };

  async #answer(method: string, url: URL, headers: Headers, body: string): Promise<Response> {
    const [, tenant] = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(url.pathname) ?? [];
    const apis = [this.baseUrl, this.contentBase];
    const address = url.origin + url.pathname;
    if (tenant !== undefined) return await this.entra.grant(tenant, address, body, apis);
    if (url.pathname.endsWith("/download.aspx")) return this.#download(url, headers);
    const token = headers.get("authorization")?.replace("Bearer ", "");
    if (url.pathname.includes("/_api/")) return this.#inSite(url, token, headers);
    if (!this.entra.takes(token, this.baseUrl))
      return errorAnswer(401, "InvalidAuthenticationToken");
    return await this.#route(method, url, { body, prefer: headers.get("prefer") ?? "" });
  }

  async #route(
    method: string,
    url: URL,
    { body, prefer }: { body: string; prefer: string },
  ): Promise<Response> {
    const path = decodeURIComponent(url.pathname).replace("/v1.0/", "");
    const [, id = ""] = /^subscriptions(?:\/([^/]+))?$/.exec(path) ?? [];
    if (path.startsWith("subscriptions")) return await this.#subscription(method, id, body);
    if (method !== "GET") return errorAnswer(405, "methodNotAllowed");
    return this.#get(path, url.searchParams, prefer);
  }

  async #subscription(method: string, id: string, body: string): Promise<Response> {
    if (!this.mayBeNotified) return errorAnswer(403, "accessDenied");
    if (method === "POST") {
      return await this.subscriptions.create(body, (driveId) => this.drives.has(driveId));
    }
    if (method === "PATCH") return this.subscriptions.renew(id, body);
    return method === "DELETE" ? this.subscriptions.delete(id) : this.subscriptions.list();
  }

  #failureOf(path: string): Response | null {
    const failure = this.failures.find((each) => each.times > 0 && each.path.test(path));
    if (failure === undefined) return null;
    failure.times--;
    const { status, code = "serviceNotAvailable", headers } = failure;
    return errorAnswer(status, code, headers);
  }

  #get(path: string, query: URLSearchParams, prefer: string): Response {
    if (!this.consented) return errorAnswer(401, "generalException");
    const directory = this.#inDirectory(path, query);
    if (directory !== null) return directory;
    const [, siteKey, drives] = /^sites\/(.+?)(\/drives)?$/.exec(path) ?? [];
    if (siteKey !== undefined) return this.#site(siteKey, drives !== undefined);
    const [, driveId = "", rest = ""] = /^drives\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    const drive = this.drives.get(driveId);
    if (drive === undefined) return errorAnswer(404, "itemNotFound");
    const site = this.sites.find((each) => each.drives.includes(drive));
    if (site?.granted === false) return errorAnswer(403, "accessDenied");
    return rest === "" ? json(shownDrive(drive)) : this.#inDrive(drive, rest, { query, prefer });
  }

  #inDirectory(path: string, query: URLSearchParams): Response | null {
    if (path === "organization") return this.#organization();
    if (!path.startsWith("groups")) return null;
    return this.mayReadGroups
      ? groupAnswer(this.groups, path, query, this.baseUrl)
      : errorAnswer(403, "Authorization_RequestDenied");
  }

  /** A site itself: what an app got with a secret is no token here. */
  #inSite(url: URL, token: string | undefined, headers: Headers): Response {
    if (!this.entra.takes(token, this.contentBase, { byCertificate: true })) {
      return json({ error_description: "Unsupported app only token." }, 401);
    }
    if (!this.mayReadSiteGroups) return json({ "odata.error": {} }, 403);
    const [, site, id] =
      /^\/sites\/(\w+)\/_api\/web\/sitegroups\((\d+)\)\/users$/i.exec(url.pathname) ?? [];
    const members = this.siteGroups.get(Number(id));
    if (!this.sites.some(({ address }) => address.endsWith(`/${site}`)) || members === undefined) {
      return json({ "odata.error": {} }, 404);
    }
    const all = members.map((LoginName) => {
      return { LoginName, Email: LoginName.includes("@") ? LoginName.split("|").at(-1) : "" };
    });
    if (!headers.get("accept")?.includes("odata=nometadata")) return json({ d: { results: all } });
    const from = Number(url.searchParams.get("$skip") ?? 0);
    const link = `${url.origin}${url.pathname}?$skip=${from + SITE_USERS_A_PAGE}`;
    const next = from + SITE_USERS_A_PAGE < all.length ? { "odata.nextLink": link } : {};
    return json({ value: all.slice(from, from + SITE_USERS_A_PAGE), ...next });
  }

  #organization(): Response {
    if (this.domains === null) return errorAnswer(403, "Authorization_RequestDenied");
    return json({ value: [{ verifiedDomains: this.domains.map((name) => ({ name })) }] });
  }

  #site(key: string, drives: boolean): Response {
    const site = this.sites.find(({ id, address }) => key === id || key === address);
    if (site === undefined) return errorAnswer(404, "itemNotFound");
    if (!site.granted) return errorAnswer(403, "accessDenied");
    return drives ? json({ value: site.drives.map(shownDrive) }) : json({ id: site.id });
  }

  #inDrive(
    drive: DriveDouble,
    path: string,
    { query, prefer }: { query: URLSearchParams; prefer: string },
  ): Response {
    if (path === "root/delta") return drive.delta(this.baseUrl, query, prefer);
    const [, id = drive.root, verb] = /^(?:root|items\/([^/]+))(?:\/(.*))?$/.exec(path) ?? [];
    const item = drive.items.get(id);
    if (item === undefined || item.deleted) return errorAnswer(404, "itemNotFound");
    if (verb === "permissions") {
      if (!this.hasFullControl) return errorAnswer(403, "accessDenied");
      const address = `${this.baseUrl}/v1.0/drives/${drive.id}/items/${id}/permissions`;
      return listPermissions(drive.items, item, query, address);
    }
    if (verb === "content") {
      const location = this.#downloadUrl(item);
      return new Response(null, { status: 302, headers: { location } });
    }
    const isFile = item.kind === "file";
    const url = isFile ? { "@microsoft.graph.downloadUrl": this.#downloadUrl(item) } : {};
    const select = query.get("$select");
    const more = { ...url, ...this.#idsOf(drive, select) };
    return json(selected({ ...shownItem(drive.id, item), ...more }, select));
  }

  /** Told only to whom asks for them by name. */
  #idsOf(drive: DriveDouble, select: string | null) {
    if (select?.includes("sharepointIds") !== true) return {};
    const site = this.sites.find((each) => each.drives.includes(drive));
    const siteUrl = `${this.contentBase}${site?.address.split(":")[1] ?? ""}`;
    return { sharepointIds: { siteUrl } };
  }

  #downloadUrl(item: Item): string {
    const tempauth = crypto.randomUUID();
    this.#downloads.set(tempauth, { item, expiresAt: this.now() + DOWNLOAD_URL_MS });
    return `${this.contentBase}/_layouts/15/download.aspx?UniqueId=${item.id}&tempauth=${tempauth}`;
  }

  /** The address is the permission; a token of Graph's is none here. */
  #download(url: URL, headers: Headers): Response {
    if (headers.has("authorization")) {
      this.leakedTokens += 1;
      return new Response("unauthorized", { status: 401 });
    }
    const download = this.#downloads.get(url.searchParams.get("tempauth") ?? "");
    if (download === undefined || download.expiresAt <= this.now()) {
      return new Response("the address has expired", { status: 401 });
    }
    download.item.hashed = true;
    const { content, mimeType } = download.item;
    return new Response(content, { headers: { "content-type": mimeType } });
  }
}

const shownDrive = ({ id, name }: DriveDouble) => ({ id, name, driveType: "documentLibrary" });
