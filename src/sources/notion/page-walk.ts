import { z } from "zod";

import { sha256Hex } from "../../core/hash.ts";
import { MINUTE_MS, SECOND_MS, timeIn } from "../../core/time.ts";
import { foldSpace } from "../../documents/writing/fold-space.ts";
import { SourceFailure, type ListedFile, type UnreadItem } from "../../ports/source-reader.ts";
import { segmentOf } from "../folder-tree.ts";
import { listedItems } from "../listed-items.ts";
import { keepPage } from "../page-store.ts";
import { uniquePaths } from "../unique-paths.ts";
import { denied, type NotionTools } from "./notion-client.ts";
import { ABSENT, notionObject, titleOf, valuesOf, type NotionObject } from "./notion-objects.ts";
import { PageText } from "./page-text.ts";

const node = z.object({
  /** Null: no part of a path. */
  title: z.string().nullable(),
  parent: z.string().nullable(),
  /** In the bin, archived or not wanted, with all that lies beneath. */
  isLeft: z.boolean().optional(),
  /** A row that search named: its data source is to name it, too. */
  isUnsettled: z.boolean().optional(),
  /** Still to be listed; without `page` it is to be read first. */
  isDue: z.boolean().optional(),
  page: z.object({ edited: z.string(), url: z.string(), values: z.looseObject({}) }).optional(),
});
type Node = z.infer<typeof node>;
type Place = { path: string; name: string; ancestors: string[] };
type Entry = NonNullable<Node["page"]> &
  Place & { id: string; ref: string; settled: Node; before: ListedFile | undefined };
const NOWHERE: Node = { title: null, parent: null };

export const walkState = z.object({
  /** The name of the state before this one. */
  before: z.string().nullable().default(null),
  isSearched: z.boolean().default(false),
  cursor: z.string().optional(),
  /** Data sources whose rows are noted. */
  sources: z.number().default(0),
  /** The path up to which known files were compared. */
  comparedTo: z.string().nullable().default(null),
  /** By where the API has them: `pages/ID`, `databases/ID`, `data_sources/ID`, `blocks/ID`. */
  nodes: z.record(z.string(), node).default({}),
  /** How often a page could not be read, by the same names. */
  tries: z.record(z.string(), z.number()).default({}),
});
export type WalkState = z.infer<typeof walkState>;

/** Ten seconds at three calls a second. */
const CALLS_PER_LISTING = 30;
/** Where Notion is slow: the last page begins by then, and has the rest of a minute. */
const BEGIN_UNTIL_MS = 20 * SECOND_MS;
/** A call that lists ends after 90 seconds, and what it read is lost. */
const READ_UNTIL_MS = MINUTE_MS;
const PAGE_SIZE = 100;
const MAX_TRIES = 3;
const MAX_NODES = 200_000;
const MAX_LEVELS = 100;
const MAX_TITLE = 120;
/** Notion's times have minutes: a page may change again in the minute in which it was read. */
const SETTLED_AFTER_MS = 2 * MINUTE_MS;

/** https://developers.notion.com/reference/post-search, `/query-a-data-source` */
const objects = z.object({
  results: listedItems(notionObject),
  next_cursor: z.string().nullable(),
  request_status: z.object({ type: z.string() }).nullish(),
});
const idIn = (ref: string) => ref.slice(ref.indexOf("/") + 1);

/**
 * Lists pages in parts: those that search names, the rows of each data source, what lies in pages
 * that are read, and each known page that was not met, as search is not promised to be complete.
 */
export class PageWalk {
  readonly #state: WalkState;
  readonly #tools: NotionTools;
  readonly files: ListedFile[] = [];
  readonly problems: { path: string; message: string }[] = [];
  readonly unread: UnreadItem[] = [];

  constructor(state: WalkState, tools: NotionTools) {
    this.#state = state;
    this.#tools = tools;
  }

  readonly #elapsedMs = () => this.#tools.options.now() - this.#tools.calls.began;
  readonly #isLate = () => this.#elapsedMs() > READ_UNTIL_MS;
  readonly #hasTime = () =>
    this.#tools.calls.count < CALLS_PER_LISTING && this.#elapsedMs() < BEGIN_UNTIL_MS;

  /** True at the walk's end. */
  async advance(): Promise<boolean> {
    const { nodes } = this.#state;
    while (this.#hasTime() && this.files.length === 0) {
      const refs = Object.keys(nodes);
      if (refs.length > MAX_NODES) throw denied(`more than ${MAX_NODES} pages: name root pages`);
      const { isSearched, sources, tries } = this.#state;
      const rank = (ref: string) => tries[ref] ?? 0;
      const due = refs
        .filter((ref) => nodes[ref]?.isDue && rank(ref) < MAX_TRIES)
        .sort((a, b) => rank(a) - rank(b));
      const source = refs.filter((ref) => ref.startsWith("data_sources/"))[sources];
      if (!isSearched) await this.search();
      else if (due.length > 0) await this.#list(due.slice(0, PAGE_SIZE));
      else if (source !== undefined) await this.#findRows(source);
      else if (!(await this.#compareStored())) return true;
    }
    return false;
  }

  /** @throws SourceFailure `denied` where nothing is shared, or not a root */
  async search(): Promise<void> {
    const state = this.#state;
    for (const id of state.cursor === undefined ? this.#tools.config.rootPages : []) {
      const root = (await this.#find(`pages/${id}`)) ?? (await this.#find(`databases/${id}`));
      if (root === null) throw denied(`${id} is not shared with the connection`);
    }
    const sort = { timestamp: "last_edited_time", direction: "ascending" };
    // A data source names all of its rows.
    for (const object of await this.#readPage("search", { sort })) {
      const isRow = object.parent?.startsWith("data_sources/") === true;
      const noted = this.#note(object, !isRow);
      if (isRow) noted.isUnsettled = true;
    }
    if (Object.keys(state.nodes).length === 0) throw denied("the connection sees no page");
    state.isSearched = state.cursor === undefined;
  }

  async #findRows(source: string): Promise<void> {
    await this.#attempt(source, undefined, async () => {
      const isInside = (await this.#place(source)) !== null;
      const rows = isInside ? await this.#readPage(`${source}/query`, {}, ABSENT) : [];
      for (const row of rows) this.#note(row);
      if (!isInside || this.#state.cursor === undefined) this.#state.sources += 1;
    });
    if (this.#state.tries[source] !== MAX_TRIES) return;
    // The next one has cursors of its own.
    this.#state.cursor = undefined;
    this.#state.sources += 1;
  }

  async #readPage(path: string, order: object, absent: number[] = []): Promise<NotionObject[]> {
    const { api } = this.#tools;
    const body = { ...order, page_size: PAGE_SIZE, start_cursor: this.#state.cursor };
    const answer = await api.find(objects, api.address(path), { body, absent });
    this.#state.cursor = answer?.next_cursor ?? undefined;
    if (this.#state.cursor === undefined && answer?.request_status?.type === "incomplete")
      this.problems.push({ path, message: "Notion names 10,000 pages at most" });
    const { items, unread } = answer?.results ?? { items: [], unread: [] };
    this.unread.push(...unread);
    return items;
  }

  async #compareStored(): Promise<boolean> {
    const state = this.#state;
    const files = await this.#tools.options.known.all(state.comparedTo, PAGE_SIZE);
    for (const { externalId } of files) {
      const node = (state.nodes[`pages/${externalId}`] ??= { ...NOWHERE, isUnsettled: true });
      if (node.isUnsettled === true && node.isLeft !== true) node.isDue = true;
    }
    state.comparedTo = files.at(-1)?.path ?? null;
    return files.length > 0;
  }

  #note(object: NotionObject, isDue = true): Node {
    const { nodes } = this.#state;
    const { object: kind, id, parent, url, last_edited_time: edited } = object;
    const { database_parent: above, data_sources: sources } = object;
    const { databases } = this.#tools.config;
    if (parent !== null && above !== undefined) nodes[parent] = { title: null, parent: above };
    for (const { id: source, name: title } of sources)
      nodes[`data_sources/${source}`] ??= { title, parent: `databases/${id}`, isLeft: !databases };
    const isUnwanted = kind === "data_source" && !databases;
    const isLeft = isUnwanted || object.in_trash || object.is_archived;
    const values = valuesOf(object, (page) => nodes[`pages/${page}`]?.title ?? null);
    const due = kind === "page" && isDue && { isDue, page: { edited, url, values } };
    return (nodes[`${kind}s/${id}`] = { title: titleOf(object), parent, isLeft, ...due });
  }

  /** Null: it is not shared, but may hold what is, which lies at the top then. */
  async #find(ref: string): Promise<Node | null> {
    const { api } = this.#tools;
    const object = await api.find(notionObject, api.address(ref), { absent: ABSENT });
    if (object !== null) return this.#note(object);
    this.#state.nodes[ref] = { ...NOWHERE };
    return null;
  }

  async #nodeAt(ref: string): Promise<Node> {
    const node = this.#state.nodes[ref];
    const isRead = node !== undefined && (node.page !== undefined || !node.isDue);
    return (isRead ? node : await this.#find(ref)) ?? NOWHERE;
  }

  /** Titles and ids from the top, or from a root, down. Null: outside of the roots, or left. */
  async #place(ref: string): Promise<Place | null> {
    const { rootPages } = this.#tools.config;
    const titles: string[] = [];
    const ids: string[] = [];
    for (let at: string | null = ref; at !== null && ids.length < MAX_LEVELS;) {
      const { title, parent, isLeft }: Node = await this.#nodeAt(at);
      if (isLeft) return null;
      if (title !== null) titles.unshift(segmentOf(foldSpace(title).slice(0, MAX_TITLE)));
      ids.unshift(idIn(at));
      at = rootPages.includes(idIn(at)) ? null : parent;
    }
    const isInside = rootPages.length === 0 || rootPages.includes(ids[0] ?? "");
    const [path, name] = [`${titles.join("/")}.md`, `${titles.at(-1) ?? ""}.md`];
    return isInside ? { path, name, ancestors: ids.slice(0, -1) } : null;
  }

  async #list(due: string[]): Promise<void> {
    const { nodes } = this.#state;
    const { known: knownFiles } = this.#tools.options;
    const files = await knownFiles.byExternalId(due.map(idIn));
    const before = new Map(files.map((file) => [file.externalId, file]));
    const entries: Omit<Entry, "before">[] = [];
    for (const ref of due) {
      if (!this.#hasTime()) break;
      await this.#attempt(ref, before.get(idIn(ref)), async () => {
        const place = await this.#place(ref);
        const { page, isDue: _due, ...settled } = nodes[ref] ?? NOWHERE;
        if (place === null || page === undefined) nodes[ref] = settled;
        else entries.push({ ...place, ...page, ref, id: idIn(ref), settled });
      });
    }
    const paths = await uniquePaths(knownFiles, entries);
    for (const entry of entries) {
      if (!this.#hasTime()) return;
      const each = { ...entry, path: paths.get(entry.id) ?? "", before: before.get(entry.id) };
      await this.#attempt(each.ref, fileOf(each), async () => {
        const contents = await this.#contentsOf(each);
        // Null: the page vanished since it was noted.
        if (contents !== null) this.files.push({ ...fileOf(each), ...contents });
        nodes[each.ref] = each.settled;
      });
    }
  }

  /** A page that fails waits until others are listed. After its last try it keeps what it was. */
  async #attempt(ref: string, file: ListedFile | undefined, work: () => Promise<void>) {
    try {
      await work();
    } catch (thrown) {
      const isOwn = thrown instanceof SourceFailure && thrown.kind === "down";
      if (!isOwn || thrown.retryAfterMs !== null) throw thrown;
      const { tries } = this.#state;
      tries[ref] = (tries[ref] ?? 0) + 1;
      if (tries[ref] < MAX_TRIES) return;
      const { kind, message } = thrown;
      if (file === undefined) this.problems.push({ path: ref, message });
      else this.files.push({ ...file, failure: { kind, message } });
    }
  }

  async #contentsOf(each: Entry) {
    const { before, edited } = each;
    if (before?.sourceState?.["edited"] !== edited) return await this.#read(each);
    const { version, size, sourceState } = before;
    return { version, size, sourceState };
  }

  /** Null: it is not there, or not shared. */
  async textOf(id: string): Promise<Uint8Array | null> {
    const { title, isLeft, page } = (await this.#find(`pages/${id}`)) ?? NOWHERE;
    if (isLeft === true || page === undefined) return null;
    return await new PageText(this.#tools.api, id).read(title ?? "", page.values);
  }

  async #read({ id, ref, path, settled, edited, values, before }: Entry) {
    const { api, options } = this.#tools;
    const began = options.now();
    const text = new PageText(api, id, this.#isLate);
    const bytes = await text.read(settled.title ?? "", values);
    for (const child of text.inside)
      this.#state.nodes[child] ??= { title: null, parent: ref, isDue: true };
    const message = `not given by Notion: ${[...text.omissions].join(", ")}`;
    if (text.omissions.size > 0) this.problems.push({ path, message });
    if (bytes === null) return null;
    const version = await sha256Hex(bytes);
    await keepPage(options.store, path, { version, bytes }, before?.version ?? "");
    const isSettled = began - (timeIn(edited) ?? 0) >= SETTLED_AFTER_MS;
    return { version, size: bytes.length, sourceState: isSettled ? { edited } : null };
  }
}

/** With the contents of before, or none. */
function fileOf({ id: externalId, path, name, url, edited, values, ancestors, before }: Entry) {
  const facts = { path, name, externalId, url, mimeType: "text/markdown" };
  const { version = "", size = 0 } = before ?? {};
  const metadata = { ...values, ancestors };
  const modifiedAt = timeIn(edited);
  return { ...facts, version, size, sourceState: null, metadata, modifiedAt };
}
