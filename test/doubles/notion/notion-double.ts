import {
  blockAnswer,
  databaseAnswer,
  errorAnswer,
  listAnswer,
  pageAnswer,
  sourceAnswer,
} from "./answers.ts";
import { block, type Block, type Entry } from "./entries.ts";

export const BASE = "https://api.notion.com";
const VERSIONS = new Set(["2025-09-03", "2026-03-11"]);

type Failure = {
  path: RegExp;
  status: number;
  code?: string;
  headers?: HeadersInit;
  times?: number;
};

/**
 * A workspace as a connection sees it, by the API's version 2026-03-11: https://developers.notion.com
 * under reference/post-search, query-a-data-source, retrieve-a-page, get-block-children,
 * request-limits and status-codes.
 */
export class NotionDouble {
  readonly entries = new Map<string, Entry>();
  readonly requests: string[] = [];
  readonly failures: Failure[] = [];
  /** Not shared with the connection. */
  readonly hiddenBlocks = new Set<string>();
  /** Search does not know them, yet or at all. */
  readonly unsearched = new Set<string>();
  token = "ntn_secret_of_the_double";
  now = Date.UTC(2026, 10, 1, 12);
  pageSize = 100;
  /** Results of one query or search: 10,000. */
  resultLimit = 10_000;
  beforeAnswer: (path: string) => void = () => undefined;

  page(parent: string | null, title: string, blocks: Block[] = []): string {
    const id = this.#add({ kind: "page", title, parent, blocks });
    this.#place(id, parent);
    return id;
  }

  /** Returns the ids of the database and of its data source. */
  database(parent: string | null, title: string): [database: string, source: string] {
    const id = this.#add({ kind: "database", title, parent });
    this.#place(id, parent);
    return [id, this.source(id, title)];
  }

  source = (database: string, title: string) =>
    this.#add({ kind: "data_source", title, parent: database });

  row(
    source: string,
    title: string,
    properties: Record<string, unknown> = {},
    blocks: Block[] = [],
  ) {
    return this.#add({ kind: "page", title, parent: source, properties, blocks });
  }

  change(id: string, to: Partial<Omit<Entry, "id" | "kind">>): void {
    const entry = this.entry(id);
    if (to.parent !== undefined && to.parent !== entry.parent) {
      this.#unplace(id);
      this.#place(id, to.parent);
    }
    Object.assign(entry, { edited: this.now, ...to });
    for (const each of this.#allBlocks()) if (each.id === id) each.body["title"] = entry.title;
  }

  /** The bin is emptied, too. */
  delete(id: string): void {
    this.#unplace(id);
    this.entries.delete(id);
  }

  entry(id: string): Entry {
    const entry = this.entries.get(id);
    if (entry === undefined) throw new Error(`no object ${id}`);
    return entry;
  }

  fail(failure: Failure): void {
    this.failures.push(failure);
  }

  isTrashed(id: string | null): boolean {
    const above = this.#find(id);
    if (above === null) return false;
    const isEntry = "kind" in above;
    return (
      (isEntry && above.inTrash) || this.isTrashed(isEntry ? above.parent : this.#holder(above.id))
    );
  }

  /** The page, database or block that holds a block. */
  #holder(blockId: string): string | null {
    for (const { id, blocks } of this.entries.values()) {
      if (blocks.some((each) => each.id === blockId)) return id;
    }
    return (
      this.#allBlocks().find(({ children }) => children.some(({ id }) => id === blockId))?.id ??
      null
    );
  }

  #allBlocks(): Block[] {
    const beneath = (each: Block): Block[] => [each, ...each.children.flatMap(beneath)];
    return [...this.entries.values()].flatMap(({ blocks }) => blocks.flatMap(beneath));
  }

  #find(id: string | null): Entry | Block | null {
    if (id === null) return null;
    return this.entries.get(id) ?? this.#allBlocks().find((each) => each.id === id) ?? null;
  }

  #add(entry: Pick<Entry, "kind" | "title" | "parent"> & Partial<Entry>): string {
    const id = crypto.randomUUID();
    const facts = { created: this.now, edited: this.now, inTrash: false, isArchived: false };
    this.entries.set(id, { id, ...facts, properties: {}, blocks: [], ...entry });
    return id;
  }

  /** A page or database is a block of what holds it, which is edited by that. */
  #place(id: string, parent: string | null): void {
    const { kind, title } = this.entry(id);
    const above = this.#find(parent);
    if (above === null || ("kind" in above && above.kind !== "page")) return;
    const child = { ...block(`child_${kind}`, { title }), id };
    if ("kind" in above) above.edited = this.now;
    ("kind" in above ? above.blocks : above.children).push(child);
  }

  #unplace(id: string): void {
    const lists = [
      ...Array.from(this.entries.values(), ({ blocks }) => blocks),
      ...this.#allBlocks().map(({ children }) => children),
    ];
    for (const list of lists) {
      const at = list.findIndex((each) => each.id === id);
      if (at >= 0) list.splice(at, 1);
    }
  }

  readonly fetch = async (address: string, request: RequestInit = {}): Promise<Response> => {
    request.signal?.throwIfAborted();
    const url = new URL(address);
    const path = url.pathname.replace("/v1/", "");
    this.requests.push(path);
    this.beforeAnswer(path);
    const refusal = this.#refusal(new Headers(request.headers), path);
    if (refusal !== null) return refusal;
    const body =
      typeof request.body === "string" || request.body instanceof Uint8Array
        ? (JSON.parse(new TextDecoder().decode(bytesOf(request.body))) as Record<string, unknown>)
        : Object.fromEntries(url.searchParams);
    return this.#answer(path, body);
  };

  #refusal(headers: Headers, path: string): Response | null {
    const failure = this.failures.find(
      ({ path: where, times = 1 }) => times > 0 && where.test(path),
    );
    if (failure !== undefined) {
      failure.times = (failure.times ?? 1) - 1;
      return errorAnswer(failure.status, failure.code ?? "failed", failure.headers);
    }
    if (!VERSIONS.has(headers.get("notion-version") ?? ""))
      return errorAnswer(400, "missing_version");
    const isKnown = headers.get("authorization") === `Bearer ${this.token}`;
    return isKnown ? null : errorAnswer(401, "unauthorized");
  }

  #answer(path: string, body: Record<string, unknown>): Response {
    const [kind = "", id = "", part] = path.split("/");
    if (kind === "search") return this.#listed(this.#searched(body), body, "page_or_data_source");
    if (part === "query") return this.#listed(this.#rows(id, body), body, "page_or_data_source");
    const target = this.hiddenBlocks.has(id) ? null : this.#find(id);
    if (target === null || (kind !== "blocks" && kindOf(target) !== kind))
      return errorAnswer(404, "object_not_found");
    if (part === "children") return this.#children(target, body);
    if ("kind" in target) return Response.json(this.#show(target));
    const holder = this.#find(this.#holder(id));
    if (holder === null) return errorAnswer(404, "object_not_found");
    return Response.json(blockAnswer(target, holder));
  }

  #children(target: Entry | Block, body: Record<string, unknown>): Response {
    if (!("kind" in target) && target.hasMore) return errorAnswer(400, "validation_error");
    const blocks = "kind" in target ? target.blocks : target.children;
    const visibleBlocks = blocks.filter(
      ({ id }) => !this.hiddenBlocks.has(id) && this.entries.get(id)?.inTrash !== true,
    );
    return this.#listed(
      visibleBlocks.map((each) => ({ id: each.id, answer: () => blockAnswer(each, target) })),
      body,
      "block",
    );
  }

  #show(entry: Entry): unknown {
    const above = this.#find(entry.parent);
    if (entry.kind === "page") return pageAnswer(entry, above, this.isTrashed(entry.id));
    const sources = [...this.entries.values()].filter(({ parent }) => parent === entry.id);
    if (entry.kind === "database") return databaseAnswer(entry, above, sources);
    const database = this.entry(entry.parent ?? "");
    return sourceAnswer(entry, database, this.#find(database.parent));
  }

  #searched({ sort }: Record<string, unknown>) {
    const { direction } = (sort ?? {}) as { direction?: string };
    const sign = direction === "ascending" ? 1 : -1;
    return [...this.entries.values()]
      .filter(({ kind, id }) => kind !== "database" && !this.isTrashed(id))
      .filter(({ id }) => !this.hiddenBlocks.has(id) && !this.unsearched.has(id))
      .sort((a, b) => sign * (a.edited - b.edited))
      .map((entry) => ({ id: entry.id, answer: () => this.#show(entry) }));
  }

  #rows(source: string, { filter }: Record<string, unknown>) {
    const { created_time: since } = (filter ?? {}) as { created_time?: { on_or_after: string } };
    const from = Date.parse(since?.on_or_after ?? "1970-01-01");
    if (this.hiddenBlocks.has(source) || !this.entries.has(source)) return null;
    return [...this.entries.values()]
      .filter(
        ({ id, parent, created }) => parent === source && created >= from && !this.isTrashed(id),
      )
      .filter(({ id }) => !this.hiddenBlocks.has(id))
      .sort((a, b) => a.created - b.created)
      .map((entry) => ({ id: entry.id, answer: () => this.#show(entry) }));
  }

  /** A cursor is the id of the next object. */
  #listed(
    all: { id: string; answer: () => unknown }[] | null,
    body: Record<string, unknown>,
    type: string,
  ) {
    if (all === null) return errorAnswer(404, "object_not_found");
    const { start_cursor: cursor, page_size: size = 100 } = body;
    const within = all.slice(0, this.resultLimit);
    const at = cursor === undefined ? 0 : within.findIndex(({ id }) => id === cursor);
    if (at < 0 || Number(size) > 100 || Number(size) < 1)
      return errorAnswer(400, "validation_error");
    const end = at + Math.min(Number(size), this.pageSize);
    const answer = listAnswer(
      within.slice(at, end).map(({ answer: show }) => show()),
      within[end]?.id ?? null,
      type,
    );
    const isCut = all.length > within.length;
    const status = isCut
      ? { type: "incomplete", incomplete_reason: "query_result_limit_reached" }
      : { type: "complete" };
    return Response.json(type === "block" ? answer : { ...answer, request_status: status });
  }
}

const kindOf = (target: Entry | Block) => ("kind" in target ? `${target.kind}s` : "blocks");

const bytesOf = (body: string | Uint8Array) =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;
