import { createHash } from "node:crypto";

import { AppDouble } from "./app-double.ts";
import { RepositoryDouble, type Person } from "./repository-double.ts";

/*
 * GitHub's REST API as far as a reader uses it, in memory, and one query of its GraphQL API:
 * https://docs.github.com/rest
 * https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export const BASE = "https://api.github.example";
export const TOKEN = "github_pat_secret";
const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 30;

type Failure = {
  path: RegExp;
  status: number;
  message?: string;
  headers?: Record<string, string>;
  times: number;
};

/** An organization or a person with repositories. */
export class GithubDouble {
  readonly owner = "acme";
  type: "Organization" | "User" = "Organization";
  readonly repositories = new Map<number, RepositoryDouble>();
  readonly people = new Map<string, Person>();
  readonly app = new AppDouble();
  readonly requests: string[] = [];
  readonly failures: Failure[] = [];
  /** Requests that are left until the limit is reset; an unchanged answer counts none. */
  remaining = 5_000;
  resetAt = 0;
  /** Whether nobody who has not signed in sees public repositories. */
  isPrivateMode = false;
  /** Whether the credential may list collaborators. */
  mayList = true;
  /** Whether the credential may see addresses of the organization's verified domains. */
  tellsVerified = true;
  /** Answered with status 200 in place of people. */
  graphqlErrors: object | null = null;
  pageSize = MAX_PER_PAGE;
  now = () => Date.now();
  #clock = Date.UTC(2026, 0, 1);
  #nextId = 1_000;

  repository(name: string, isPrivate = false): RepositoryDouble {
    const own = new RepositoryDouble(this.#nextId++, name, isPrivate, () => this.#tick());
    this.repositories.set(own.id, own);
    return own;
  }

  fail(failure: Omit<Failure, "times"> & { times?: number }): void {
    this.failures.push({ times: 1, ...failure });
  }

  /** Stands in for the platform's `fetch`. */
  readonly fetch = async (address: string, request: RequestInit = {}): Promise<Response> => {
    request.signal?.throwIfAborted();
    const url = new URL(address);
    const headers = new Headers(request.headers);
    this.requests.push(`${request.method ?? "GET"} ${url.pathname}${url.search}`);
    const body = await new Response(request.body ?? null).text();
    const failure = this.#failureOf(url, headers);
    if (failure !== null) return failure;
    if (url.pathname.startsWith("/app/")) return await this.app.grant(url, headers, this.now());
    const token = headers.get("authorization")?.replace(/^(Bearer|token) /i, "");
    const isApp = this.app.takes(token);
    if (token !== TOKEN && !isApp) return refusal(401, "Bad credentials");
    if (this.remaining <= 0) return refusal(403, "API rate limit exceeded", this.#limits());
    const isGraphql = url.pathname.endsWith("/graphql");
    const path = decodeURIComponent(url.pathname).slice(1);
    const answer = isGraphql ? this.#graphql(body) : this.#route(path, url, headers, isApp);
    return await this.#conditional(answer, headers);
  };

  /** Answers a visitor without credentials; null: visits are refused, or there are credentials. */
  #visit(pathname: string, headers: Headers): Response | null {
    const own = [...this.repositories.values()].find(
      ({ name, isPrivate }) => !isPrivate && pathname === `/repos/${this.owner}/${name}`,
    );
    if (headers.has("authorization") || this.isPrivateMode || own === undefined) return null;
    return json(own.answerFor(this.owner));
  }

  #failureOf({ pathname }: URL, headers: Headers): Response | null {
    const forbidden = "Request forbidden by administrative rules";
    if (!headers.has("user-agent")) return refusal(403, forbidden);
    const failure = this.failures.find((each) => each.times > 0 && each.path.test(pathname));
    if (failure === undefined) return this.#visit(pathname, headers);
    failure.times--;
    return refusal(failure.status, failure.message ?? "Server Error", failure.headers);
  }

  async #conditional(answer: Response, headers: Headers): Promise<Response> {
    const bytes = Buffer.from(await answer.clone().arrayBuffer());
    const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
    const isSame = answer.ok && headers.get("if-none-match") === etag;
    if (isSame) return new Response(null, { status: 304, headers: { etag } });
    this.remaining--;
    const all = { ...Object.fromEntries(answer.headers), ...this.#limits(), etag };
    return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: all });
  }

  #limits(): Record<string, string> {
    const reset = String(Math.ceil(this.resetAt / 1_000));
    const remaining = String(Math.max(0, this.remaining));
    return { "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset };
  }

  #route(path: string, url: URL, headers: Headers, isApp: boolean): Response {
    const all = [...this.repositories.values()];
    const repositoryAnswers = (some: RepositoryDouble[]) =>
      some.map((each) => each.answerFor(this.owner));
    if (path === `users/${this.owner}`) return json({ login: this.owner, type: this.type });
    if (path === `orgs/${this.owner}/repos` && this.type === "Organization")
      return this.#page(repositoryAnswers(all), url);
    if (path === `users/${this.owner}/repos`)
      return this.#page(repositoryAnswers(all.filter((each) => !each.isPrivate)), url);
    if (path === "user/repos")
      return this.#page(repositoryAnswers(all.filter((each) => each.isPrivate)), url);
    if (path === "installation/repositories" && isApp) {
      return this.#page(repositoryAnswers(all), url, (repositories) => ({
        total_count: all.length,
        repositories,
      }));
    }
    const [, owner, name, rest = ""] = /^repos\/([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    const own = all.find((each) => each.name === name && owner === this.owner);
    if (own === undefined) return refusal(404, "Not Found");
    return this.#inRepository(own, rest, url, headers);
  }

  #inRepository(own: RepositoryDouble, path: string, url: URL, headers: Headers): Response {
    const at = `${url.origin}/repos/${this.owner}/${own.name}`;
    if (path === "") return json(own.answerFor(this.owner));
    if (path.startsWith("git/"))
      return inGit(own, path, url, { accept: headers.get("accept"), at });
    if (path === "collaborators") {
      if (!this.mayList)
        return refusal(403, "Must have push access to view repository collaborators.");
      const people = own.collaborators.map((login) => ({ login, permissions: { pull: true } }));
      return this.#page(people, url);
    }
    if (!own.hasIssues) return refusal(410, "Issues are disabled for this repo");
    if (path === "issues") return this.#page(own.issuesFor(url.searchParams, at), url);
    const [, list, number, isComments] = /^(issues|pulls)\/(\d+)(\/comments)?$/.exec(path) ?? [];
    const issue = own.issues.get(Number(number));
    if (issue === undefined) return refusal(404, "Not Found");
    if (isComments === undefined) return json(own.shownIssue(issue, at));
    return this.#page(list === "issues" ? issue.comments : issue.reviewComments, url);
  }

  /** https://docs.github.com/graphql/reference/users: aliases of people by their login. */
  #graphql(body: string): Response {
    const { query } = JSON.parse(body) as { query: string };
    const users = [...query.matchAll(/(\w+): user\(login: "([^"]+)"\)/g)];
    const data = users.map(([, alias = "", login = ""]) => {
      const { email = "", verified = [] } = this.people.get(login) ?? {};
      // A field that is refused takes the whole object away.
      const isVerified = alias.startsWith("v");
      const user = isVerified ? { organizationVerifiedDomainEmails: verified } : { email };
      const isShown = this.people.has(login) && (!isVerified || this.tellsVerified);
      return [alias, isShown ? user : null];
    });
    return json(this.graphqlErrors ?? { data: Object.fromEntries(data) });
  }

  #page<Item>(all: Item[], url: URL, wrapped: (items: Item[]) => unknown = (items) => items) {
    const size = Math.min(
      Number(url.searchParams.get("per_page") ?? DEFAULT_PER_PAGE),
      this.pageSize,
      MAX_PER_PAGE,
    );
    const page = Number(url.searchParams.get("page") ?? 1);
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    const link = page * size < all.length ? { link: `<${next.href}>; rel="next"` } : undefined;
    return json(wrapped(all.slice((page - 1) * size, page * size)), link);
  }

  #tick(): string {
    this.#clock += 1_000;
    return new Date(this.#clock).toISOString().replace(".000Z", "Z");
  }
}

type InGit = { accept: string | null; at: string };

function inGit(own: RepositoryDouble, path: string, url: URL, { accept, at }: InGit): Response {
  const [, kind = "", key = ""] = /^git\/(ref|trees|blobs)\/(.*)$/.exec(path) ?? [];
  if (kind === "ref") return own.reference(key, at);
  if (kind === "trees") return own.tree(key, url.searchParams.has("recursive"), at);
  return kind === "blobs" ? own.blob(key, accept ?? "") : refusal(404, "Not Found");
}

const json = (body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, {
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });

/** https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api */
const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json(
    { message, documentation_url: "https://docs.github.com/rest" },
    { status, headers },
  );
