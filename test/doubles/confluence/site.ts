/** A page, blog post, folder or attachment; `modified` is the time of its last version, ms. */
export type Content = {
  id: string;
  type: "page" | "blogpost" | "folder" | "attachment";
  status: "current" | "archived" | "trashed";
  title: string;
  space: string;
  /** The page that holds an attachment, or what lies above a page. */
  parent: string | null;
  body: string;
  mediaType: string;
  version: number;
  modified: number;
  labels: string[];
  restrictions: Restrictions;
  /** Whether the account of the API token may see it. */
  isSeen: boolean;
};

/** Account ids of people, ids of groups. */
export type Restrictions = { users: string[]; groups: string[] };
export type Space = {
  id: string;
  key: string;
  homepageId: string | null;
  isArchived: boolean;
  /** Who may read it by permissions. */
  readers: Restrictions;
  /** By roles: `ACCESS_CLASS anonymous-users`, `GROUP id`. */
  roles: string[];
};
/** `email` is empty where the person hides it. */
export type Person = { accountId: string; displayName: string; email: string };

const MINUTE_MS = 60_000;
const NOBODY: Restrictions = { users: [], groups: [] };

/** A Confluence site's content, and the actions of its people. */
export class Site {
  readonly spaces = new Map<string, Space>();
  readonly contents = new Map<string, Content>();
  readonly people = new Map<string, Person>();
  /** Account ids by group id. */
  readonly groups = new Map<string, string[]>();
  /** Contents that search does not know yet. */
  readonly unindexed = new Set<string>();
  /** Pages of listings are at most this long. */
  pageSize = 250;
  /** Whether search names a space by a number, as Atlassian's documentation shows it. */
  hasNumericSpaceIds = true;
  clock = Date.UTC(2026, 0, 1);
  #next = 100;

  /** A space with a home page, which everybody in the group `all` may read. */
  space(key: string): Space {
    const id = String(this.#next++);
    const readers = { users: [], groups: ["all"] };
    const space: Space = { id, key, homepageId: null, isArchived: false, readers, roles: [] };
    this.spaces.set(id, space);
    space.homepageId = this.page(space, `${key} home`, "<p>Welcome</p>");
    return space;
  }

  page(space: Space, title: string, body: string, parent: string | null = space.homepageId) {
    return this.add({ type: "page", space: space.id, title, body, parent });
  }

  attach(page: string, title: string, body: string, mediaType = "text/plain") {
    const { space } = this.content(page);
    return this.add({ type: "attachment", space, title, body, mediaType, parent: page });
  }

  add(fields: Pick<Content, "type" | "title" | "space"> & Partial<Content>): string {
    const id = `${fields.type === "attachment" ? "att" : ""}${this.#next++}`;
    const usual = { status: "current", parent: null, body: "", mediaType: "", labels: [] } as const;
    const state = { version: 1, modified: this.#time(), restrictions: NOBODY, isSeen: true };
    this.contents.set(id, {
      ...usual,
      ...state,
      ...fields,
      labels: [...(fields.labels ?? [])],
      id,
    });
    return id;
  }

  /** A new version. */
  edit(id: string, change: Partial<Content>): void {
    const content = this.content(id);
    const version = content.version + 1;
    Object.assign(content, { version, modified: this.#time(), ...change });
  }

  /** A change that makes no version: a move, labels, restrictions, the archive, the trash. */
  alter(id: string, change: Partial<Content>): void {
    Object.assign(this.content(id), change);
  }

  /** Removes a content with everything beneath it. */
  remove(id: string, status: "archived" | "trashed"): void {
    this.alter(id, { status });
    for (const child of this.childrenOf(id)) this.remove(child.id, status);
  }

  person(name: string, { email = `${name}@example.com`, groups = ["all"] } = {}): string {
    const accountId = `712020:${name}`;
    this.people.set(accountId, { accountId, displayName: `${name} Person`, email });
    for (const group of groups)
      this.groups.set(group, [...(this.groups.get(group) ?? []), accountId]);
    return accountId;
  }

  content(id: string): Content {
    const content = this.contents.get(id);
    if (content === undefined) throw new Error(`there is no ${id}`);
    return content;
  }

  childrenOf(id: string): Content[] {
    return [...this.contents.values()].filter(
      ({ parent, status }) => parent === id && status === "current",
    );
  }

  spaceOf({ space }: Content): Space {
    const owner = this.spaces.get(space);
    if (owner === undefined) throw new Error(`there is no space ${space}`);
    return owner;
  }

  /** Lists the ancestors of a content, from the top. */
  above({ parent }: Content): Content[] {
    const content = parent === null ? undefined : this.contents.get(parent);
    return content === undefined ? [] : [...this.above(content), content];
  }

  #time(): number {
    this.clock += MINUTE_MS;
    return this.clock;
  }
}
