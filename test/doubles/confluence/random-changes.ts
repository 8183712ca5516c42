import type { FileReaders } from "../../../src/ports/source-reader.ts";
import type { Step } from "../source/random-schedules.ts";
import type { ConfluenceDouble } from "./confluence-double.ts";
import type { Content, Restrictions } from "./site.ts";

export const KINDS =
  "page page folder attach edit edit rename move move archive trash restrict restrict free group unindex fail scan scan crash";

const isFile = ({ type, status }: Content) => type !== "folder" && status === "current";

/** Paths of files by id, told by the titles above. */
export function pathsIn(site: ConfluenceDouble): Map<string, string> {
  const folderOf = (content: Content): string => {
    const { key, homepageId } = site.spaceOf(content);
    const above = site.above(content);
    const isOwner = (id: string) => content.type === "attachment" && id === content.parent;
    const isShown = ({ id }: Content) => id !== homepageId || isOwner(id);
    return [key, ...above.filter(isShown).map(({ title }) => title)].join("/");
  };
  const files = [...site.contents.values()].filter(isFile);
  return new Map(
    files.map((content) => {
      const ending = content.type === "attachment" ? "" : ".md";
      return [content.id, `${folderOf(content)}/${content.title}${ending}`];
    }),
  );
}

/** The people who may read a content, asked one by one. */
export function peopleWhoRead(site: ConfluenceDouble, content: Content): string[] {
  const isIn = (id: string, { users, groups }: Restrictions) =>
    users.includes(id) || groups.some((group) => site.groups.get(group)?.includes(id));
  const mayRead = (id: string, { restrictions }: Content) =>
    restrictions.users.length + restrictions.groups.length === 0 || isIn(id, restrictions);
  const chain = [...site.above(content), content];
  const all = [...site.people.keys()];
  return all.filter(
    (id) => isIn(id, site.spaceOf(content).readers) && chain.every((each) => mayRead(id, each)),
  );
}

/** The people whom a file's readers let in. */
export function peopleIn(site: ConfluenceDouble, readers: FileReaders | undefined): string[] {
  if (readers === undefined || "unreadable" in readers) return ["unreadable"];
  const names = new Set(readers.principals.map(({ principal }) => principal));
  return [...site.people.values()]
    .filter(({ accountId, email }) => {
      const isInGroup = ([group, members]: [string, string[]]) =>
        names.has(`group:${group}`) && members.includes(accountId);
      return names.has(`user:${email}`) || [...site.groups].some(isInGroup);
    })
    .map(({ accountId }) => accountId);
}

type Target = { content: Content; above: Content; variant: number };

const DEEDS: Record<string, (site: ConfluenceDouble, target: Target) => unknown> = {
  page: (site, { above, variant }) =>
    site.page(site.spaceOf(above), `P${variant % 4}`, `<p>${variant}</p>`, above.id),
  folder: (site, { above, variant }) =>
    site.add({ type: "folder", space: above.space, title: `F${variant % 3}`, parent: above.id }),
  attach: (site, { content, variant }) =>
    content.type === "page" && site.attach(content.id, `a${variant % 3}.txt`, `${variant}`),
  edit: (site, { content, variant }) => site.edit(content.id, { body: `<p>edit ${variant}</p>` }),
  rename: (site, { content, variant }) => site.edit(content.id, { title: `R${variant % 4}` }),
  move: (site, { content, above }) => {
    const isBelow = [...site.above(above), above].includes(content);
    if (!isBelow && content.type !== "attachment" && content.space === above.space)
      site.alter(content.id, { parent: above.id });
  },
  archive: (site, { content }) => site.remove(content.id, "archived"),
  trash: (site, { content }) => site.remove(content.id, "trashed"),
  restrict: (site, { content, variant }) => {
    const people = [...site.people.keys()];
    const users = variant % 3 === 0 ? [] : [people[variant % people.length] ?? ""];
    const groups = variant % 2 === 0 ? ["leads"] : ["all"];
    if (content.type !== "attachment")
      site.alter(content.id, { restrictions: { users, groups: variant % 5 < 3 ? groups : [] } });
  },
  free: (site, { content }) => site.alter(content.id, { restrictions: { users: [], groups: [] } }),
  unindex: (site, { content }) => content.type === "page" && site.unindexed.add(content.id),
};

/** Does one step to a content that is no home page. */
export function applyStep(site: ConfluenceDouble, { kind, pick, variant }: Step): void {
  const current = [...site.contents.values()].filter(({ status }) => status === "current");
  const homes = new Set([...site.spaces.values()].map(({ homepageId }) => homepageId));
  const contents = current.filter(({ id }) => !homes.has(id));
  const places = current.filter(({ type }) => type === "page" || type === "folder");
  const content = contents[pick % Math.max(1, contents.length)];
  const above = places[variant % places.length];
  if (content !== undefined && above !== undefined)
    DEEDS[kind]?.(site, { content, above, variant });
}
