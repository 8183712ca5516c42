import { z } from "zod";

import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import { DAY_MS, isoTime } from "../../core/time.ts";
import { inParallel } from "../../core/work/parallel.ts";
import { missingFile, type ListedFile, type ListingPage } from "../../ports/source-reader.ts";
import type { OpenedFile, SourceReader } from "../../ports/source-reader.ts";
import type { Api, ApiClient } from "../api-client.ts";
import { openedFrom, tooLarge } from "../guarded-fetch.ts";
import { scanState, type ScanState } from "../scan-state.ts";
import type { SourceTools } from "../source-manifest.ts";
import { uniquePaths } from "../unique-paths.ts";
import { ABSENT, confluenceApi, readSpaces, requireAccount } from "./confluence-client.ts";
import { readPeople, V1, V2, type Space } from "./confluence-client.ts";
import { KINDS, type ConfluenceConfig } from "./confluence-config.ts";
import { readForgotten } from "./forgotten-attachments.ts";
import { groupMembers, PageReaders } from "./page-readers.ts";
import { mentionsIn, pageText } from "./page-text.ts";
import { contentPage, filesIn, fileState, listingState, position } from "./site-contents.ts";
import { STEPS, wireContent, type Contents, type ListingState } from "./site-contents.ts";
import type { Position } from "./site-contents.ts";

const PER_PAGE = 250;
/** The most that search answers with restrictions, and that are listed at once. */
const PER_SEARCH_PAGE = 200;
const PARENTS_PER_STEP = 40;
const AT_ONCE = 4;
const SPACES_SHOWN = 10;
const RESTRICTIONS = "restrictions.read.restrictions.user,restrictions.read.restrictions.group";

const storage = z.object({ storage: z.object({ value: z.string() }) });
const bodied = z.object({ title: z.string(), body: storage });

type Options = Pick<SourceTools, "outgoing" | "now" | "store" | "known"> & {
  readsPermissions?: boolean;
};
type Step = { files?: ListedFile[]; entries: number; next: string | null };
const NOTHING: Step = { entries: 0, next: null };

/**
 * Confluence Cloud by the API token of an account. A search finds new versions of files; anything
 * else, such as a new or a moved page, is found by listing everything, which downloads nothing.
 */
export class ConfluenceReader implements SourceReader {
  readonly #config: ConfluenceConfig;
  readonly #kinds: readonly string[];
  readonly #options: Options;
  readonly #api: Api;
  readonly #state: ScanState<ListingState>;

  constructor(config: ConfluenceConfig, apiToken: string, options: Options) {
    this.#config = config;
    this.#kinds = config.include?.length ? config.include : KINDS;
    this.#options = options;
    this.#api = confluenceApi(config, apiToken, options);
    this.#state = scanState(options.store, "listing", listingState);
  }

  async check(signal: AbortSignal): Promise<string> {
    const spaces = await readSpaces(this.#api(signal), this.#config);
    const keys = spaces.slice(0, SPACES_SHOWN).map(({ key }) => key);
    const more = spaces.length > SPACES_SHOWN ? ` and ${spaces.length - SPACES_SHOWN} more` : "";
    return `Confluence: the account sees the spaces ${keys.join(", ")}${more}`;
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<ListingPage> {
    const client = this.#api(signal);
    const from = cursor === null ? null : position.parse(JSON.parse(cursor));
    const state = from === null ? await this.#begin(client) : await this.#state.pending();
    // State that was kept between pages may be lost, or of another listing.
    if (state === null || (from !== null && from.run !== state.run))
      return { ...(await this.list(null, signal)), restarted: true };
    const at = from ?? { run: state.run, space: 0, step: 0 };
    const { files = [], entries, next } = await this.#read(client, state, at);
    await this.#state.keep(state);
    const following = nextStep({ ...at, next }, state.spaces.length);
    // A token that was revoked meanwhile is shown less, which is not to be removed.
    if (following === null) await requireAccount(client);
    return {
      files,
      deleted: [],
      entries: entries + 1,
      next: following === null ? null : JSON.stringify(following),
      // Search knows no changes of restrictions: with readers, each scan lists everything.
      ...(following || this.#isShared ? {} : { changeCursor: String(state.began) }),
    };
  }

  async #begin(client: ApiClient): Promise<ListingState> {
    const nothing = { space: "", contents: {}, grants: {} };
    const began = this.#options.now();
    const spaces = await readSpaces(client, this.#config);
    return { run: crypto.randomUUID(), began, spaces, ...nothing };
  }

  /** One call or a few, whose answers the state keeps; done twice, a step does no harm. */
  async #read(client: ApiClient, state: ListingState, at: Position): Promise<Step> {
    const step = STEPS[at.step] ?? "files";
    const space = state.spaces[at.space];
    if (space === undefined) return NOTHING;
    const work = { ...this.#placeOf(client, state, space), next: at.next ?? null };
    const { contents } = work;
    if (step === "parents") return await readParents(work);
    if (step === "files") return await this.#listFiles(work);
    if (step === "details") return await this.#readDetails(work);
    if (step === "forgotten") return await this.#readForgotten(work);
    if (!this.#kinds.includes(step)) return NOTHING;
    const query = { status: "current", limit: PER_PAGE, cursor: at.next ?? undefined };
    const page = await client.get(contentPage, `${V2}/spaces/${space.id}/${step}`, query);
    for (const each of page.items) contents[each.id] = { ...each, kind: step };
    return { entries: page.items.length, next: page.next };
  }

  /** Attachments, and labels and restrictions of pages, many in one call. */
  async #readDetails({ client, contents, space, readers, next }: Work): Promise<Step> {
    if (Object.keys(contents).length === 0) return NOTHING;
    const expand = "version,container,metadata.labels";
    const page = await this.#search(client, `space = "${space.key}"`, {
      expand: readers === null ? expand : `${expand},${RESTRICTIONS}`,
      cursor: next ?? undefined,
    });
    for (const { restriction, ...match } of page.items) {
      const content = contents[match.id];
      if (match.kind === "attachments") {
        if (contents[match.parent ?? ""] !== undefined) contents[match.id] = match;
      } else if (content !== undefined) content.labels = match.labels;
      if (restriction !== null) readers?.take(match.id, restriction);
    }
    return { entries: page.items.length, next: page.next };
  }

  #placeOf(client: ApiClient, state: ListingState, space: Space) {
    if (state.space !== space.id) Object.assign(state, { space: space.id, contents: {} });
    const { contents, grants } = state;
    const readers = this.#isShared ? new PageReaders(client, grants) : null;
    return { client, contents, space, readers };
  }

  async #readForgotten({ client, ...work }: Work): Promise<Step> {
    if (!this.#kinds.includes("attachments")) return NOTHING;
    return { entries: 1, next: await readForgotten(client, this.#options.known, work) };
  }

  /** Search tells attachments, labels and restrictions of many pages in one call. */
  async #search(
    client: ApiClient,
    cql: string,
    query: { expand: string; cursor: string | undefined },
  ) {
    const types = this.#kinds.map((kind) => kind.slice(0, -1)).join(", ");
    return await client.get(contentPage, `${V1}/content/search`, {
      cql: `${cql} and type in (${types})`,
      limit: PER_SEARCH_PAGE,
      ...query,
    });
  }

  async #listFiles({ contents, space, readers, next }: Work): Promise<Step> {
    const from = Number(next ?? 0);
    const to = from + PER_SEARCH_PAGE;
    const all = Object.values(contents).filter(({ kind }) => kind !== "parents");
    const files = all.slice(from, to).map(filesIn(contents, space, this.#site));
    const placed = files.map(({ externalId, path }) => ({ id: externalId ?? "", path }));
    const paths = await uniquePaths(this.#options.known, placed);
    for (const file of files) {
      file.path = paths.get(file.externalId ?? "") ?? file.path;
      const { chain } = fileState.parse(file.sourceState);
      if (readers !== null) file.readers = await readers.readersOf(space, chain);
    }
    return { files, entries: files.length, next: to < all.length ? String(to) : null };
  }

  /** https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql/ */
  async follow(
    changeCursor: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<ListingPage | null> {
    if (this.#isShared) return null;
    const changedTo = String(this.#options.now());
    const client = this.#api(signal);
    if (cursor === null) await requireAccount(client);
    // A query has minutes in the account's time zone, and the search may lag behind.
    const since = isoTime(Number(changeCursor) - DAY_MS)
      .slice(0, 16)
      .replace("T", " ");
    const keys = this.#config.spaces?.map((key) => `"${key}"`).join(", ") ?? "";
    const cql = `lastmodified >= "${since}"${keys && ` and space in (${keys})`}`;
    const expand = "version,container,ancestors";
    const { items, next } = await this.#search(client, cql, {
      expand,
      cursor: cursor ?? undefined,
    });
    const files = await this.#options.known.byExternalId(items.map(({ id }) => id));
    const byId = new Map(files.map((file) => [file.externalId, file]));
    const isOld = (content: (typeof items)[number]) => isVersionOf(content, byId.get(content.id));
    if (!items.every(isOld)) return null;
    const changed = items.flatMap(({ id, version, modifiedAt }) => {
      const file = byId.get(id);
      return file && file.version !== version ? { ...file, version, modifiedAt } : [];
    });
    const end = next === null ? { changeCursor: changedTo } : {};
    return { files: changed, deleted: [], entries: items.length, next, ...end };
  }

  async open(file: ListedFile, signal: AbortSignal): Promise<OpenedFile> {
    const client = this.#api(signal);
    const id = file.externalId ?? "";
    const { kind, parent } = fileState.parse(file.sourceState);
    if (kind === "attachments") {
      if (file.size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
      const path = `${V1}/content/${parent ?? ""}/child/attachment/${id}/download`;
      const reply = await client.downloadRedirected(client.address(path));
      if ("got" in reply) return openedFrom(reply.got, file.mimeType);
      const isMissing = reply.error.status === 404;
      throw isMissing ? missingFile("Confluence: 404") : client.failure(reply.error);
    }
    const address = client.address(`${V2}/${kind}/${id}`, { "body-format": "storage" });
    const page = await client.find(bodied, address);
    if (page === null) throw missingFile("Confluence: 404");
    const { title, body } = page;
    const people = await readPeople(client, mentionsIn(body.storage.value));
    const names = new Map(people.map((each) => [each.accountId, each.displayName]));
    const place = { id, spaceKey: String(file.metadata["space"]), site: this.#site };
    const markdown = await pageText({ ...place, title, storage: body.storage.value, names });
    const blob = new Blob([markdown]);
    return { body: blob.stream(), size: blob.size, mimeType: "text/markdown" };
  }

  async membersOf(group: string, signal: AbortSignal): Promise<string[]> {
    return await groupMembers(this.#api(signal), group);
  }

  async ended(): Promise<void> {
    await this.#options.store.remove("");
  }

  get #isShared(): boolean {
    return this.#options.readsPermissions === true;
  }

  /** Where pages are shown: people paste the address of a page as well. */
  get #site(): string {
    return `${new URL(this.#config.siteUrl).origin}/wiki`;
  }
}

type Work = {
  client: ApiClient;
  contents: Contents;
  space: Space;
  /** Null: who may read is not asked. */
  readers: PageReaders | null;
  next: string | null;
};

function nextStep({ run, space, step, next }: Position, spaces: number): Position | null {
  if (next) return { run, space, step, next };
  if (step + 1 < STEPS.length) return { run, space, step: step + 1 };
  return space + 1 < spaces ? { run, space: space + 1, step: 0 } : null;
}

/** Whether a file has the title and the place of this content. */
function isVersionOf(
  { title, parent }: { title: string; parent: string | null },
  file?: ListedFile,
) {
  const state = fileState.safeParse(file?.sourceState).data;
  return state !== undefined && state.title === title && state.parent === parent;
}

/** Folders and the like lie above pages; what the account may not see has no title. */
async function readParents({ client, contents }: Work): Promise<Step> {
  const missing = Object.values(contents).flatMap(({ parent, parentType }) =>
    parent !== null && contents[parent] === undefined ? [[parent, parentType] as const] : [],
  );
  const some = [...new Map(missing)].slice(0, PARENTS_PER_STEP);
  await inParallel(some, AT_ONCE, async ([id, type]) => {
    const address = client.address(`${V2}/${type}s/${id}`);
    const parent = await client.find(wireContent, address, { absent: ABSENT });
    contents[id] = { ...(parent ?? { ...UNSEEN, id }), kind: "parents" };
  });
  return { entries: some.length, next: some.length === 0 ? null : some.join() };
}

const UNSEEN = {
  title: "",
  parent: null,
  parentType: "",
  version: "",
  modifiedAt: null,
  link: "",
  file: {},
  labels: [],
};
