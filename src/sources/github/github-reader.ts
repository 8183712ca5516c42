import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { ListedFile, ListingPage, SourceReader } from "../../ports/source-reader.ts";
import { nextLink, withoutSlash, type ApiClient } from "../api-client.ts";
import { closeUnread, withFileIds } from "../listed-items.ts";
import { readJson, scanState, writeJson, type ScanState } from "../scan-state.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { BLOCKED, githubApis, statusOf } from "./github-client.ts";
import { API_BASE_URL, type GithubConfig, type GithubCredentials } from "./github-config.ts";
import { isIssue, issueId, issuePage, issuesAddress, fileOfIssue } from "./issues.ts";
import { NO_ISSUES, OF_ISSUE, openIssue } from "./issues.ts";
import { encodePath, fileId, listChangedFiles } from "./listed-files.ts";
import { pathMatcher } from "./path-patterns.ts";
import { closePublic, identityOf, READERS, readersOf } from "./repositories.ts";
import { repositoriesOf, repository, storeReaders, type Repository } from "./repositories.ts";
import { change, compareTrees, folder, openBlob, type Folder } from "./trees.ts";

/** A part of a repository's files to be read: a folder to compare, or stored changes. */
const work = z.union([folder, z.object({ changes: z.string() })]);
const storedState = z.object({
  /** Names the listing since which changes are followed. */
  cursor: z.string(),
  readsPermissions: z.boolean(),
  repositories: z.array(repository),
  /** Parts of repositories, by their places; a page that is read again finds those of its first. */
  works: z.record(z.string(), z.array(work)),
});
type State = z.infer<typeof storedState>;

/** Where a run stands: in its head, in its works, or in its issues `since` a time. */
const placeInRun = z.object({
  at: z.number(),
  /** The state that it is a place in: a run that was given up may still write its own. */
  cursor: z.string().optional(),
  works: z.object({ index: z.number(), all: z.number() }).optional(),
  issues: z.object({ since: z.string(), page: z.number() }).optional(),
});
type Place = z.infer<typeof placeInRun>;
type Start = { state: State; place: Place };

type Page = Required<Pick<ListingPage, "files" | "deleted" | "problems" | "unread" | "partial">>;
type Run = { client: ApiClient; graphql: ApiClient; state: State; page: Page; follows: boolean };
/** A step in a repository; `earlier`: as the last run left it, where changes are followed. */
type Step = Run & { own: Repository; earlier: Repository | undefined; path: string };

/** Thrown where only a listing finds what a change concerns. */
class ListsAll extends Error {}

const reference = z.object({ object: z.object({ sha: z.string() }) });
const CHANGES = "changes/";
const FILES_AT_ONCE = 500;
/** Most steps are one or two calls. */
const STEPS_A_PAGE = 20;

/**
 * Repositories through GitHub's REST API. Only where a branch's head moved, its tree is compared
 * with the tree of the commit that was read before. https://docs.github.com/rest
 */
export class GithubReader implements SourceReader {
  readonly #config: GithubConfig;
  readonly #isApp: boolean;
  readonly #options: DriveOptions;
  readonly #apis: ReturnType<typeof githubApis>;
  readonly #state: ScanState<State>;
  readonly #readsPermissions: boolean;
  readonly #isWanted: (path: string) => boolean;

  constructor(config: GithubConfig, credentials: GithubCredentials, options: DriveOptions) {
    const base = withoutSlash(config.apiBaseUrl ?? API_BASE_URL);
    this.#config = config;
    this.#isApp = "appId" in credentials;
    this.#options = options;
    this.#readsPermissions = options.readsPermissions === true;
    this.#apis = githubApis(base, credentials, options);
    this.#state = scanState(options.store, "repositories", storedState);
    const { include = ["*"], exclude = [] } = config.paths ?? {};
    const [isIncluded, isExcluded] = [pathMatcher(include), pathMatcher(exclude)];
    this.#isWanted = (path) => isIncluded(path) && !isExcluded(path);
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const page = await this.#page(null, cursor, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof ListsAll)) throw thrown;
      // To start again would have no end where a tree is not there at all.
      throw new SourceFailure("down", "GitHub: a commit vanished meanwhile");
    });
    // The state kept between pages is lost: the listing starts again.
    return page ?? { ...(await this.list(null, signal)), restarted: true };
  }

  async follow(changeCursor: string, cursor: string | null, signal: AbortSignal) {
    const before = await this.#state.committed();
    const isSame = before?.readsPermissions === this.#readsPermissions;
    if (before?.cursor !== changeCursor || !isSame) return null;
    return await this.#page(before, cursor, signal).catch((thrown: unknown) => {
      if (thrown instanceof ListsAll) return null;
      throw thrown;
    });
  }

  async check(signal: AbortSignal): Promise<string> {
    const client = this.#apis.rest(signal);
    const repositories = await repositoriesOf(client, this.#config, this.#isApp);
    for (const own of repositories.slice(0, 1)) await this.#findHead(client, own, "");
    const { owner } = this.#config;
    return `GitHub: the credential sees repositories of ${owner}: ${repositories.length}`;
  }

  async open(file: ListedFile, signal: AbortSignal) {
    const client = this.#apis.rest(signal);
    const [name = ""] = file.path.split("/", 1);
    const address = client.address(`repos/${this.#config.owner}/${name}`);
    if (isIssue(file)) return await openIssue(client, address, file);
    return await openBlob(client, `${address}/git/blobs/${file.version}`, file);
  }

  async finishListing(): Promise<void> {
    await this.#state.commitPending();
    const { repositories = [] } = (await this.#state.committed()) ?? {};
    const used = new Set(repositories.map(({ readers }) => readers));
    await this.#options.store.remove(CHANGES);
    await this.#options.store.retain(READERS, (key) => used.has(key));
  }

  /** Null when the state between pages is lost. */
  async #page(before: State | null, cursor: string | null, signal: AbortSignal) {
    const client = this.#apis.rest(signal);
    const start = await (cursor === null ? this.#begin(client, before) : this.#resume(cursor));
    if (start === null) return null;
    const { state } = start;
    let { place } = start;
    const page: Page = { files: [], deleted: [], problems: [], unread: [], partial: false };
    const graphql = this.#apis.graphql(signal);
    const run: Run = { client, graphql, state, page, follows: before !== null };
    let entries = 0;
    for (; entries < STEPS_A_PAGE && page.files.length < FILES_AT_ONCE; entries++) {
      const own = state.repositories[place.at];
      if (own === undefined) break;
      const path = `repos/${this.#config.owner}/${own.name}`;
      const earlier = before?.repositories[place.at];
      place = await this.#step({ ...run, own, earlier, path }, place);
    }
    await this.#state.keep(state);
    const knownFiles = this.#readsPermissions ? this.#options.known : null;
    const { files, ...rest } = await closeUnread(knownFiles, page.unread);
    page.files.push(...files);
    const isEnd = place.at >= state.repositories.length;
    const end = isEnd ? { changeCursor: state.cursor } : {};
    const next = isEnd ? null : JSON.stringify({ ...place, cursor: state.cursor });
    return { ...page, ...rest, ...end, next, skipped: page.problems.length, entries };
  }

  async #resume(cursor: string): Promise<Start | null> {
    const [state, place] = [await this.#state.pending(), placeInRun.parse(parseJson(cursor))];
    if (state === null || state.cursor !== place.cursor) return null;
    const { [place.at]: works = [] } = state.works;
    return { place, state: { ...state, works: { [place.at]: works } } };
  }

  async #begin(client: ApiClient, before: State | null): Promise<Start> {
    const repositories = await repositoriesOf(client, this.#config, this.#isApp);
    if (this.#readsPermissions) await closePublic(client, this.#config, repositories);
    const place = { at: 0 };
    const state = { cursor: crypto.randomUUID(), repositories, works: {} };
    const readsPermissions = this.#readsPermissions;
    if (before === null) return { place, state: { ...state, readsPermissions } };
    const identities = (each: Repository[]) => each.map(identityOf).join();
    if (identities(repositories) !== identities(before.repositories)) throw new ListsAll();
    return { place, state: { ...structuredClone(before), works: {} } };
  }

  async #step(run: Step, place: Place): Promise<Place> {
    if (place.issues !== undefined) return await this.#addIssues(run, place.at, place.issues);
    if (place.works !== undefined) return await this.#addFiles(run, place.at, place.works);
    await this.#noteReaders(run);
    await this.#noteHead(run);
    const [now, before = ""] = [run.own.head, run.earlier?.head];
    const root = { path: "", sha: now || null, before: before || null };
    const works = now === before ? [] : [root];
    run.state.works[place.at] = works;
    return { at: place.at, works: { index: 0, all: works.length } };
  }

  async #noteReaders({ client, graphql, own, earlier }: Step): Promise<void> {
    if (!this.#readsPermissions || !own.private) return;
    const access = { client, graphql, store: this.#options.store, owner: this.#config.owner };
    own.readers = await storeReaders(access, own.name, earlier?.readers);
    if (earlier !== undefined && own.readers !== earlier.readers) throw new ListsAll();
  }

  /** An answer, or a status that concerns this repository alone. */
  async #findHead(client: ApiClient, { name, branch }: Repository, tag: string) {
    const path = `repos/${this.#config.owner}/${name}/git/ref/heads/${encodePath(branch)}`;
    const headers = tag === "" ? {} : { "if-none-match": tag };
    const reply = await client.ask(reference, client.address(path), { headers });
    if ("answer" in reply) return reply;
    const status = statusOf(reply.error);
    if (status === 304 || HEADLESS.has(status)) return status;
    throw client.failure(reply.error);
  }

  async #noteHead({ client, own, earlier, page }: Step): Promise<void> {
    const head = await this.#findHead(client, own, earlier?.tag ?? "");
    if (head === 304) return;
    const isFound = typeof head === "object";
    own.head = isFound ? head.answer.object.sha : "";
    own.tag = isFound ? (head.headers.get("etag") ?? "") : "";
    const message = isFound ? undefined : HEADLESS.get(head);
    if (message !== undefined) page.problems.push({ path: own.name, message });
    if (head !== 404 || this.#config.branch !== undefined) return;
    // The repository was deleted or its branch renamed just now: the next listing shows it.
    if (earlier !== undefined) throw new ListsAll();
    page.partial = true;
  }

  async #addFiles(run: Step, at: number, { index, all }: { index: number; all: number }) {
    const { state, earlier } = run;
    // A page that is read again has added to them.
    const works = (state.works[at] ?? []).slice(0, all);
    const next = works[index];
    if (next === undefined) return { at, issues: { since: earlier?.issuesSince ?? "", page: 1 } };
    if ("changes" in next) await this.#addChanges(run, next.changes);
    else works.push(...(await this.#worksOf(run, next, index)));
    state.works[at] = works;
    return { at, works: { index: index + 1, all: works.length } };
  }

  async #addChanges({ own, page, follows }: Step, key: string): Promise<void> {
    const changes = await readJson(this.#options.store, key, z.array(change));
    if (changes === null) throw new ListsAll();
    await this.#add(page, own, await listChangedFiles(this.#options.known, own, changes));
    for (const { path, sha, reason: message } of changes) {
      if (sha === undefined && follows) page.deleted.push(fileId(own, path));
      if (message !== undefined) page.problems.push({ path: `${own.name}/${path}`, message });
    }
  }

  /** Stores what differs in a folder, in parts that fit a page. */
  async #worksOf({ client, own, state, path, page, follows }: Step, pair: Folder, index: number) {
    const difference = await compareTrees(client, client.address(path), pair);
    const changes = difference?.changes.filter((each) => this.#isWanted(each.path)) ?? [];
    const meetsIssue = this.#config.issues && changes.some((each) => OF_ISSUE.test(each.path));
    if (difference === null || (meetsIssue && follows)) throw new ListsAll();
    const unreadId = (inner: string) => fileId(own, `${pair.path}${inner}`);
    page.unread.push(...withFileIds(difference.unread, unreadId));
    const works: z.infer<typeof work>[] = [];
    for (let from = 0; from < changes.length; from += FILES_AT_ONCE) {
      const key = `${CHANGES}${state.cursor}/${own.id}-${index}-${from}`;
      await writeJson(this.#options.store, key, changes.slice(from, from + FILES_AT_ONCE));
      works.push({ changes: key });
    }
    return [...works, ...difference.folders];
  }

  async #add(page: Page, own: Repository, files: ListedFile[]): Promise<void> {
    const { store } = this.#options;
    const readers = this.#readsPermissions ? await readersOf(store, own) : undefined;
    for (const file of files) page.files.push(readers === undefined ? file : { ...file, readers });
  }

  async #addIssues(
    { client, own, path, page }: Step,
    at: number,
    { since, page: number }: { since: string; page: number },
  ): Promise<Place> {
    if (!this.#config.issues) return { at: at + 1 };
    const reply = await client.ask(issuePage, issuesAddress(client, path, since, number));
    if ("error" in reply && NO_ISSUES.includes(statusOf(reply.error))) return { at: at + 1 };
    if ("error" in reply) throw client.failure(reply.error);
    const { items, unread } = reply.answer;
    page.unread.push(...withFileIds(unread, (issue) => issueId(own, issue)));
    const paths = items.map(({ number: issue }) => `${own.name}/issues/${issue}.md`);
    const holders = [...(await this.#options.known.byPath(paths)), ...page.files];
    const filePaths = holders.filter((file) => !isIssue(file)).map(({ path: file }) => file);
    await this.#add(
      page,
      own,
      items.map((each) => fileOfIssue(own, each, filePaths)),
    );
    own.issuesSince = items.at(-1)?.updated_at ?? since;
    if (nextLink(reply.headers) === null) return { at: at + 1 };
    const isSameTime = own.issuesSince === since;
    return { at, issues: { since: own.issuesSince, page: isSameTime ? number + 1 : 1 } };
  }
}

/** Why a repository has no head; an empty one is no problem. https://docs.github.com/rest/git/refs */
const HEADLESS = new Map([
  [404, "there is no such branch"],
  [409, undefined],
  [BLOCKED, "blocked by GitHub"],
]);
