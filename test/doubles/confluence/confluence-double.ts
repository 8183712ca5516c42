import { json, pageOf, refusal, restrictionsOf, contentAnswer, user } from "./answers.ts";
import { searchContent } from "./search.ts";
import { Site, type Content } from "./site.ts";

/*
 * Confluence Cloud as far as a reader uses it, in memory:
 * https://developer.atlassian.com/cloud/confluence/rest/v2/
 * https://developer.atlassian.com/cloud/confluence/rest/v1/
 */
const BASE = "https://acme.example";
const MEDIA = "https://media.example";
const TYPES: Record<string, Content["type"]> = {
  pages: "page",
  blogposts: "blogpost",
  folders: "folder",
  attachments: "attachment",
};

type Failure = { path: RegExp; status: number; headers?: Record<string, string>; times: number };
type Call = { path: string; query: URLSearchParams; body: string };

export class ConfluenceDouble extends Site {
  readonly email = "quarry@example.com";
  token = "ATATT-secret-of-the-account";
  /** Confluence takes a wrong token for a visitor, where visitors are let in at all. */
  allowsVisitors = false;
  baseUrl = BASE;
  mediaUrl = MEDIA;
  readonly requests: string[] = [];
  readonly failures: Failure[] = [];
  /** Requests to other hosts that brought credentials along. */
  leakedCredentials = 0;
  /** Groups whose members the account may not read. */
  readonly closedGroups = new Set<string>();
  /** Changes an answer before it is sent. */
  alterAnswer: (path: string, body: Record<string, unknown>) => void = () => undefined;

  fail(failure: Omit<Failure, "times"> & { times?: number }): void {
    this.failures.push({ times: 1, ...failure });
  }

  /** Stands in for the platform's `fetch`. */
  readonly fetch = async (address: string, request: RequestInit = {}): Promise<Response> => {
    request.signal?.throwIfAborted();
    const url = new URL(address);
    const headers = new Headers(request.headers);
    this.requests.push(
      `${request.method ?? "GET"} ${decodeURIComponent(url.pathname)}${url.search}`,
    );
    if (url.origin !== this.baseUrl) return this.#elsewhere(url, headers);
    const failure = this.failures.find(({ path, times }) => times > 0 && path.test(url.pathname));
    if (failure !== undefined) {
      failure.times -= 1;
      return refusal(failure.status, failure.headers);
    }
    const isKnown = headers.get("authorization") === `Basic ${btoa(`${this.email}:${this.token}`)}`;
    if (!isKnown && !this.allowsVisitors) return refusal(401);
    const body = await new Response(request.body ?? null).text();
    const path = url.pathname.replace(/^\/wiki\//, "");
    const call = { path, query: url.searchParams, body };
    const answer = isKnown ? this.#answer(call) : this.#visitorAnswer(path);
    if (answer instanceof Response) return answer;
    this.alterAnswer(url.pathname, answer);
    return json(answer);
  };

  /** Visitors see spaces that are open to them, and else an empty site. */
  #visitorAnswer(path: string): Response | Record<string, unknown> {
    if (path.endsWith("/user/current")) return { type: "anonymous" };
    const space = this.spaces.get(/spaces\/(\d+)$/.exec(path)?.[1] ?? "");
    if (space?.roles.includes("ACCESS_CLASS anonymous-users") === true) return { id: space.id };
    return /s\/\w*\d$/.test(path) ? refusal(404) : { results: [], _links: {} };
  }

  #elsewhere(url: URL, headers: Headers): Response {
    if (headers.has("authorization")) this.leakedCredentials += 1;
    if (url.origin !== this.mediaUrl) return new Response("elsewhere", { status: 404 });
    const { body, mediaType } = this.content(url.searchParams.get("id") ?? "");
    return new Response(body, { headers: { "content-type": mediaType } });
  }

  #answer(call: Call): Response | Record<string, unknown> {
    const { path } = call;
    if (path === "rest/api/user/current")
      return { type: "known", accountId: "a", displayName: "Q" };
    if (path === "rest/api/content/search") return searchContent(this, call.query);
    if (path === "api/v2/users-bulk") return this.#people(call.body);
    return path.startsWith("api/v2/")
      ? this.#v2(path.slice(7), call)
      : this.#v1(path.slice(9), call);
  }

  #people(body: string) {
    const { accountIds } = JSON.parse(body) as { accountIds: string[] };
    const people = accountIds.flatMap((id) => this.people.get(id) ?? []);
    return { results: people.map(user), _links: { base: `${this.baseUrl}/wiki` } };
  }

  #v1(path: string, { query }: Call): Response | Record<string, unknown> {
    const [, id = ""] = /^content\/(\w+)\/restriction\/byOperation\/read$/.exec(path) ?? [];
    if (id !== "") {
      const content = this.#visible(id);
      return content === null ? refusal(404) : restrictionsOf(this, content, 200);
    }
    const [, group] = /^group\/([^/]+)\/membersByGroupId$/.exec(path) ?? [];
    if (group !== undefined) return this.#members(decodeURIComponent(group), query);
    return this.#download(path);
  }

  #download(path: string): Response {
    const pattern = /^content\/(\w+)\/child\/attachment\/(\w+)\/download$/;
    const [, page, file = ""] = pattern.exec(path) ?? [];
    const attachment = this.#visible(file);
    const isThere = attachment?.parent === page && attachment?.status === "current";
    if (!isThere) return refusal(404);
    const location = `${this.mediaUrl}/file?id=${file}&token=signed`;
    return new Response(null, { status: 302, headers: { location } });
  }

  #members(group: string, query: URLSearchParams): Response | Record<string, unknown> {
    const members = this.groups.get(group);
    if (members === undefined) return refusal(404);
    if (this.closedGroups.has(group)) return refusal(403);
    const start = Number(query.get("start") ?? 0);
    const limit = Math.min(this.pageSize, Number(query.get("limit") ?? 200));
    const end = start + limit;
    const results = members
      .slice(start, end)
      .flatMap((id) => this.people.get(id) ?? [])
      .map(user);
    const next = `/rest/api/group/${group}/membersByGroupId?limit=${limit}&start=${end}`;
    return {
      results,
      start,
      limit,
      size: results.length,
      _links: end < members.length ? { next } : {},
    };
  }

  #v2(path: string, { query }: Call): Response | Record<string, unknown> {
    const [first = "", id = "", relation = ""] = path.split("/");
    const page = (items: unknown[]) =>
      pageOf(items, { path: `/wiki/api/v2/${path}`, query, size: this.pageSize });
    if (first === "spaces" && relation !== "") return this.#inSpace(id, relation, page);
    if (first === "spaces") return page(this.#spaces(query));
    if (id !== "") {
      const content = this.#visible(id);
      const isThere =
        content !== null && content.type === TYPES[first] && content.status !== "trashed";
      return isThere ? contentAnswer(this, content, query.get("body-format")) : refusal(404);
    }
    return page(this.#current(first).map((content) => contentAnswer(this, content)));
  }

  #spaces(query: URLSearchParams) {
    const keys = query.get("keys")?.split(",");
    const all = [...this.spaces.values()].filter(
      ({ key, isArchived }) => !isArchived && (keys?.includes(key) ?? true),
    );
    return all.map(({ id, key, homepageId }) => ({
      id,
      key,
      name: key,
      type: "global",
      status: "current",
      homepageId,
    }));
  }

  #inSpace(id: string, relation: string, page: (items: unknown[]) => Record<string, unknown>) {
    const space = this.spaces.get(id);
    if (space === undefined || space.isArchived) return refusal(404);
    if (relation === "permissions") {
      const { users, groups } = space.readers;
      const holders = [
        ...users.map((user) => ["user", user]),
        ...groups.map((group) => ["group", group]),
      ];
      const operations = [
        { key: "read", targetType: "space" },
        { key: "create", targetType: "page" },
      ];
      const editors = { principal: { type: "group", id: "editors" }, operation: operations[1] };
      return page([
        editors,
        ...holders.map(([type, name]) => ({
          id: "1",
          principal: { type, id: name },
          operation: operations[0],
        })),
      ]);
    }
    if (relation === "role-assignments") {
      if (space.roles.length === 0) return refusal(404);
      return page(
        space.roles.map((role) => {
          const [principalType, principalId] = role.split(" ");
          return { principal: { principalType, principalId }, roleId: "viewer" };
        }),
      );
    }
    return page(
      this.#current(relation)
        .filter((content) => content.space === id)
        .map((content) => contentAnswer(this, content)),
    );
  }

  /** Content that the account sees and nobody removed. */
  #current(kind: string): Content[] {
    return [...this.contents.values()].filter(
      ({ type, status, isSeen }) => type === TYPES[kind] && status === "current" && isSeen,
    );
  }

  #visible(id: string): Content | null {
    const content = this.contents.get(id);
    return content?.isSeen === true ? content : null;
  }
}
