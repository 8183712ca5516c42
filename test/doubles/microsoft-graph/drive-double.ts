import { errorAnswer, json, selected, shownItem, type Item } from "./answers.ts";
import { sharedFacet } from "./permissions.ts";

/*
 * https://learn.microsoft.com/graph/api/driveitem-delta
 */
const DEFAULT_PAGE = 200;

type Token = {
  /** The last change that was told. */
  seq: number;
  /** The feed from its beginning, which shows what there is; else what changed. */
  initial: boolean;
  /** Links have an age: those before the oldest that is taken have expired. */
  issued: number;
};

const BEGINNING: Token = { seq: 0, initial: true, issued: Infinity };

/** A document library or OneDrive with its change feed: each item has the number of its last change. */
export class DriveDouble {
  readonly items = new Map<string, Item>();
  readonly root: string;
  pageSize = 1_000;
  /** Whether the feed names what lay in a deleted folder, too. */
  namesDescendants = true;
  #seq = 0;
  #issued = 0;
  #oldest = 0;
  #next = 0;
  #clock = Date.UTC(2026, 0, 1);
  #snapshot: Map<string, Item> | null = null;
  onChange: () => void = () => undefined;

  readonly id: string;
  name: string;

  constructor(id: string, name: string) {
    this.id = id;
    this.name = name;
    this.root = this.#add({ name: "root", kind: "root", parent: null });
  }

  folder(parent: string, name: string): string {
    return this.#add({ name, kind: "folder", parent });
  }

  file(parent: string, name: string, content: string, fields: Partial<Item> = {}): string {
    return this.#add({ name, kind: "file", parent, content, ...fields });
  }

  addOther(parent: string, name: string, kind: "notebook" | "shortcut"): string {
    return this.#add({ name, kind, parent });
  }

  /** Changes an item; `content` counts as a change of its bytes, anything else does not. */
  change(id: string, change: Partial<Item>): void {
    const item = this.item(id);
    if (change.content !== undefined) {
      item.contentVersion += 1;
      item.modified = this.#time();
    }
    Object.assign(item, change);
    item.version += 1;
    this.#changed(item);
  }

  delete(id: string): void {
    for (const child of this.childrenOf(id)) {
      if (this.namesDescendants) this.delete(child.id);
      else this.#vanish(child);
    }
    const item = this.item(id);
    item.deleted = true;
    this.#changed(item);
  }

  #vanish(item: Item): void {
    for (const child of this.childrenOf(item.id)) this.#vanish(child);
    item.deleted = true;
  }

  item(id: string): Item {
    const item = this.items.get(id);
    if (item === undefined) throw new Error(`there is no ${id}`);
    return item;
  }

  childrenOf(id: string): Item[] {
    return [...this.items.values()].filter(({ parent, deleted }) => parent === id && !deleted);
  }

  /** The feed shows the drive as it is now until `catchUp`; single items are shown as they are. */
  lag(): void {
    this.#snapshot = new Map([...this.items].map(([id, item]) => [id, { ...item }]));
  }

  catchUp(): void {
    this.#snapshot = null;
  }

  /** No link that was given out so far is taken any more. */
  expireLinks(): void {
    this.#oldest = this.#issued + 1;
  }

  delta(base: string, query: URLSearchParams, prefer: string): Response {
    const tokenText = query.get("token");
    const { seq, initial, issued } = tokenText === null ? BEGINNING : parsedToken(tokenText);
    if (issued < this.#oldest) return this.#resync(base);
    const items = [...(this.#snapshot ?? this.items).values()];
    const last = Math.max(0, ...items.map((item) => item.seq));
    const changed = items
      .filter((item) => item.seq > seq && !(initial && item.deleted))
      .sort((a, b) => a.seq - b.seq);
    const size = Math.min(this.pageSize, Number(query.get("$top") ?? DEFAULT_PAGE));
    const page = changed.slice(0, size);
    const more = changed.length > size;
    const listing = initial ? page : [...this.#ancestorsOf(page), ...page];
    const next = { seq: more ? (page.at(-1)?.seq ?? 0) : last, initial: initial && more };
    const link = this.#link(base, query, next);
    return json({
      "@odata.context": `${base}/v1.0/$metadata#Collection(driveItem)`,
      [more ? "@odata.nextLink" : "@odata.deltaLink"]: link,
      value: listing.map((item) => selected(this.#told(item, prefer), query.get("$select"))),
    });
  }

  /** OneDrive for Business leaves `cTag` out of the feed. */
  #told(item: Item, prefer: string) {
    const { cTag: _cTag, ...answer } = shownItem(this.id, item);
    const shared = item.deleted ? {} : sharedFacet(this.#snapshot ?? this.items, item, prefer);
    return { ...answer, ...shared };
  }

  /** Without the header `deltaExcludeParent` the folders above what changed are told of, too. */
  #ancestorsOf(page: Item[]): Item[] {
    const all = this.#snapshot ?? this.items;
    const pageIds = new Set(page.map(({ id }) => id));
    const above = new Map<string, Item>();
    for (const item of page) {
      for (let at = all.get(item.parent ?? ""); at !== undefined; at = all.get(at.parent ?? "")) {
        if (!pageIds.has(at.id) && !at.deleted) above.set(at.id, at);
      }
    }
    return [...above.values()];
  }

  #resync(base: string): Response {
    const location = `${base}/v1.0/drives/${this.id}/root/delta`;
    return errorAnswer(410, "resyncChangesApplyDifferences", { location });
  }

  #link(base: string, query: URLSearchParams, to: Omit<Token, "issued">): string {
    const token = Buffer.from(JSON.stringify({ ...to, issued: ++this.#issued })).toString(
      "base64url",
    );
    const parameters = new URLSearchParams(query);
    parameters.set("token", token);
    return `${base}/v1.0/drives/${this.id}/root/delta?${parameters.toString()}`;
  }

  #add(fields: Pick<Item, "name" | "kind" | "parent"> & Partial<Item>): string {
    const id = `01${this.id.slice(-4).toUpperCase()}${String(this.#next++).padStart(8, "0")}`;
    const item: Item = {
      content: "",
      mimeType: "text/plain",
      owner: "ann@contoso.example",
      modified: this.#time(),
      version: 1,
      contentVersion: 1,
      deleted: false,
      malware: false,
      hashed: true,
      seq: 0,
      grants: null,
      ...fields,
      id,
    };
    this.items.set(id, item);
    this.#changed(item);
    return id;
  }

  #changed(item: Item): void {
    item.seq = ++this.#seq;
    this.onChange();
  }

  #time(): string {
    this.#clock += 1_000;
    return new Date(this.#clock).toISOString();
  }
}

const parsedToken = (text: string): Token =>
  JSON.parse(Buffer.from(text, "base64url").toString()) as Token;
