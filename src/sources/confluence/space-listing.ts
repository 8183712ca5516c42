import { mapParallel } from "../../core/work/parallel.ts";
import { nullIfDenied } from "../../ports/source-reader.ts";
import type { KnownFiles, ListedFile, ReaderStore, UnreadItem } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { closeUnread, listedItem } from "../listed-items.ts";
import { readJson, writeJson } from "../scan-state.ts";
import { uniquePaths } from "../unique-paths.ts";
import { ABSENT, V2, type Space } from "./confluence-client.ts";
import { readForgotten } from "./forgotten-attachments.ts";
import type { Grants, PageReaders } from "./page-readers.ts";
import { addContents, contentPage, contentPart, filePart, filesIn } from "./site-contents.ts";
import {
  fileState,
  labelsIn,
  PER_SEARCH_PAGE,
  searchContents,
  STEPS,
  wireParent,
} from "./site-contents.ts";
import type { Content, Contents, Position } from "./site-contents.ts";

const PER_PAGE = 250;
const PARENTS_PER_STEP = 200;
const AT_ONCE = 4;
const RESTRICTIONS = "restrictions.read.restrictions.user,restrictions.read.restrictions.group";

/** `contents` are stored for later steps. */
export type Step = {
  files?: ListedFile[];
  contents?: Content[];
  unread?: UnreadItem[];
  entries: number;
  next: string | null;
};
export const NOTHING: Step = { entries: 0, next: null };

type Options = {
  client: ApiClient;
  store: ReaderStore;
  known: KnownFiles;
  kinds: readonly string[];
  /** Where pages are shown. */
  site: string;
  /** Null: who may read is not asked. */
  readersFrom: (restrictions: Grants) => PageReaders | null;
};
type Parts = { contents: Contents; restrictions: Grants };

/**
 * Lists a space in steps of one call or a few. Each stores what it reads as a part of its own; then
 * files are made of all parts at once, as a path has the titles above. A step may be done twice.
 */
export class SpaceListing {
  readonly #options: Options;
  readonly #space: Space;
  readonly #at: Position;
  readonly #readers: PageReaders | null;

  constructor(options: Options, space: Space, at: Position) {
    this.#options = options;
    this.#space = space;
    this.#at = at;
    this.#readers = options.readersFrom({});
  }

  /** Null: what earlier steps stored is lost. */
  async read(): Promise<Step | null> {
    const { store } = this.#options;
    const { next, parts } = this.#at;
    const name = STEPS[this.#at.step] ?? "files";
    if (name === "files" && next) return await this.#listFiles(Number(next));
    const step = await this.#readContents(name);
    const { contents = [] } = step ?? {};
    const restrictions = this.#readers?.restrictions ?? {};
    if (contents.length > 0) await writeJson(store, this.#keyOf(parts), { contents, restrictions });
    return step;
  }

  async #readContents(name: (typeof STEPS)[number]): Promise<Step | null> {
    if (name === "pages" || name === "blogposts") return await this.#list(name);
    if (this.#at.parts === 0) return NOTHING;
    if (name === "details") return await this.#readDetails();
    const parts = await this.#gather();
    if (parts === null) return null;
    const { contents } = parts;
    if (name === "parents") return await this.#readParents(contents);
    if (name === "files") return await this.#placeFiles(parts);
    const { client, kinds, known: knownFiles } = this.#options;
    if (!kinds.includes("attachments")) return NOTHING;
    const next = this.#at.next ?? null;
    const step = await readForgotten(client, knownFiles, { contents, space: this.#space, next });
    return { ...step, ...(await this.#close(step.unread)) };
  }

  async #close(unread: UnreadItem[]) {
    return await closeUnread(this.#readers === null ? null : this.#options.known, unread);
  }

  async #list(kind: "pages" | "blogposts"): Promise<Step> {
    const { client, kinds } = this.#options;
    if (!kinds.includes(kind)) return NOTHING;
    const query = { status: "current", limit: PER_PAGE, cursor: this.#at.next ?? undefined };
    const path = `${V2}/spaces/${this.#space.id}/${kind}`;
    const { items, unread, next } = await client.get(contentPage, path, query);
    const contents: Content[] = items.map((each) => Object.assign(each, { kind }));
    // Attachments lie beneath it: without its place, they would look deleted.
    const unreadItems = await mapParallel(unread, AT_ONCE, async (item) => {
      const place = item.id === null ? null : await this.#readPlace(kind, item.id);
      if (place !== null) contents.push(place);
      return { ...item, id: place && item.id };
    });
    return { contents, ...(await this.#close(unreadItems)), entries: items.length, next };
  }

  /** The place of a page of which no more can be read; null: nor can that. */
  async #readPlace(kind: string, id: string): Promise<Content | null> {
    const { client } = this.#options;
    const address = client.address(`${V2}/${kind}/${id}`);
    const answer = await client.find(listedItem(wireParent), address, { absent: ABSENT });
    const [place] = answer?.items ?? [];
    return place === undefined ? null : { ...UNSEEN, ...place, id, kind: "parents" };
  }

  /** Attachments, and labels and restrictions of pages, many in one call. */
  async #readDetails(): Promise<Step> {
    const { client, kinds } = this.#options;
    const expand = "version,container,metadata.labels";
    const { items, unread, next } = await searchContents(client, kinds, {
      cql: `space = "${this.#space.key}"`,
      expand: this.#readers === null ? expand : `${expand},${RESTRICTIONS}`,
      cursor: this.#at.next ?? undefined,
    });
    const contents = items.map(({ restriction, ...each }) => {
      if (restriction !== null) this.#readers?.take(each.id, restriction);
      return each;
    });
    // A page that was listed keeps its labels.
    const ids = unread.flatMap(({ id }) => id ?? []);
    const before = ids.length === 0 ? [] : await this.#options.known.byExternalId(ids);
    const kept = before.map(({ externalId, metadata }) => {
      const facts = { id: externalId ?? "", kind: "", labels: labelsIn(metadata) };
      return Object.assign({}, UNSEEN, facts);
    });
    return { contents: [...contents, ...kept], unread, entries: items.length, next };
  }

  /** Folders and the like lie above pages; what the account may not see has no title. */
  async #readParents(contents: Contents): Promise<Step> {
    const { client } = this.#options;
    const missing = Object.values(contents).flatMap(({ parent, parentType }) =>
      parent !== null && contents[parent] === undefined ? [[parent, parentType] as const] : [],
    );
    const some = [...new Map(missing)].slice(0, PARENTS_PER_STEP);
    const parents = await mapParallel(some, AT_ONCE, async ([id, type]) => {
      const address = client.address(`${V2}/${type}s/${id}`);
      const parent = await client.find(wireParent, address, { absent: ABSENT });
      await this.#readers?.restrictionOf(id).catch(nullIfDenied);
      return { ...UNSEEN, ...parent, id, kind: "parents" };
    });
    return { contents: parents, entries: some.length, next: some.length === 0 ? null : "more" };
  }

  /** Null: one is lost. */
  async #gather(): Promise<Parts | null> {
    const { store } = this.#options;
    const all: Parts = { contents: {}, restrictions: {} };
    const numbers = Array.from({ length: this.#at.parts }, (_, number) => number);
    const parts = await mapParallel(numbers, AT_ONCE, async (number) => {
      return await readJson(store, this.#keyOf(number), contentPart);
    });
    for (const part of parts) {
      if (part === null) return null;
      addContents(all.contents, part.contents);
      Object.assign(all.restrictions, part.restrictions);
    }
    return all;
  }

  async #placeFiles({ contents, restrictions }: Parts): Promise<Step> {
    const fileIn = filesIn(contents, this.#space, this.#options.site);
    const all = Object.values(contents).filter(({ kind }) => kind !== "parents");
    for (let from = 0; from < all.length; from += PER_SEARCH_PAGE) {
      const files = all.slice(from, from + PER_SEARCH_PAGE).map(fileIn);
      const above = [...new Set(files.flatMap(chainOf))];
      const own = above.flatMap((id) => (restrictions[id] ? [[id, restrictions[id]]] : []));
      const isLast = from + PER_SEARCH_PAGE >= all.length;
      const part = { files, restrictions: Object.fromEntries(own), isLast };
      await writeJson(this.#options.store, this.#fileKeyOf(from / PER_SEARCH_PAGE), part);
    }
    return { entries: all.length, next: all.length === 0 ? null : "0" };
  }

  async #listFiles(number: number): Promise<Step | null> {
    const { store, known: knownFiles, readersFrom } = this.#options;
    const part = await readJson(store, this.#fileKeyOf(number), filePart);
    if (part === null) return null;
    const { files, restrictions, isLast } = part;
    const readers = readersFrom(restrictions);
    const placed = files.map(({ externalId, path }) => ({ id: externalId ?? "", path }));
    const paths = await uniquePaths(knownFiles, placed);
    for (const file of files) {
      file.path = paths.get(file.externalId ?? "") ?? file.path;
      if (readers !== null) file.readers = await readers.readersOf(this.#space, chainOf(file));
    }
    return { files, entries: files.length, next: isLast ? null : String(number + 1) };
  }

  readonly #keyOf = (name: number | string) => `${this.#at.run}/${this.#at.space}/${name}`;
  readonly #fileKeyOf = (number: number) => this.#keyOf(`files-${number}`);
}

const chainOf = ({ sourceState }: ListedFile) => fileState.parse(sourceState).chain;

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
