import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import { timeIn } from "../../core/time.ts";
import { mediaTypeByName } from "../../documents/media-type/media-types.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { folderTree, segmentOf } from "../folder-tree.ts";
import { listedItems } from "../listed-items.ts";
import { nextPage, spaceList, V1, type Space } from "./confluence-client.ts";
import { grants, restriction } from "./page-readers.ts";

const id = z.string();
const text = z.string().nullish();
const reference = z.object({ id }).nullish();
/** What holds an attachment; that of a page is its space, whose id is a number. */
const container = z.object({ id: z.union([id, z.number()]).transform(String) }).nullish();
const version = z
  .object({ number: z.number(), createdAt: text, when: text })
  .transform(({ number, createdAt, when }) => {
    return { version: String(number), modifiedAt: timeIn(createdAt ?? when ?? "") };
  });
const file = z.object({ mediaType: text, fileSize: z.number().nullish() }).default({});
const labels = z
  .object({ labels: z.object({ results: z.array(z.object({ name: id })) }).nullish() })
  .transform(({ labels: list }) => (list?.results ?? []).map(({ name }) => name).sort())
  .default([]);

type Reference = z.infer<typeof reference>;
type Text = z.infer<typeof text>;
type ContentPlace = { type?: Text; parentId?: Text; ancestors?: Reference[] | null | undefined };
type Held = { type?: Text; pageId?: Text; blogPostId?: Text; container?: Reference };
const parentIdOf = ({ type, parentId, ancestors }: ContentPlace) =>
  parentId ?? (type === "attachment" ? null : ancestors?.at(-1)?.id);
const holderIdOf = ({ type, pageId, blogPostId, container: holder }: Held) =>
  pageId ?? blogPostId ?? (type === "attachment" ? holder?.id : null);

/**
 * A page, blog post, folder or attachment, as the second version of the API shows it, or a search.
 * https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content/
 */
export const wireContent = z
  .object({
    id: id.min(1),
    title: id,
    type: text,
    status: text,
    parentId: text,
    /** What holds an attachment, in the second version. */
    pageId: text,
    blogPostId: text,
    mediaType: text,
    fileSize: z.number().nullish(),
    parentType: text,
    container,
    ancestors: z.array(reference).nullish(),
    version,
    _links: z.object({ webui: text }).nullish(),
    extensions: file,
    metadata: labels,
    restrictions: z.object({ read: restriction.nullish() }).nullish(),
  })
  .transform(({ version, _links: links, extensions, metadata, restrictions, ...wire }) => ({
    ...version,
    id: wire.id,
    title: wire.title,
    kind: wire.type === "attachment" ? "attachments" : "",
    status: wire.status,
    parent: parentIdOf(wire) ?? holderIdOf(wire) ?? null,
    parentType: wire.parentType ?? "page",
    link: links?.webui ?? "",
    file: { mediaType: wire.mediaType, fileSize: wire.fileSize, ...extensions },
    labels: metadata,
    restriction: restrictions?.read ?? null,
  }));
/** Fields that paths and restrictions are made of, where others may not be readable. */
export const wireParent = z
  .object({ title: id.catch(""), parentId: text, parentType: text })
  .transform(({ title, parentId = null, parentType }) => {
    return { title, parent: parentId, parentType: parentType ?? "page" };
  });
export const contentPage = z
  .object({ results: listedItems(wireContent), _links: nextPage })
  .transform(({ results, _links: next }) => ({ ...results, next }));

/** The most that search answers with restrictions. */
export const PER_SEARCH_PAGE = 200;

/** Search lists attachments, labels and restrictions of many pages in one call. */
export async function searchContents(
  client: ApiClient,
  kinds: readonly string[],
  { cql, ...query }: { cql: string; expand: string; cursor: string | undefined },
) {
  const types = kinds.map((kind) => kind.slice(0, -1)).join(", ");
  return await client.get(contentPage, `${V1}/content/search`, {
    cql: `${cql} and type in (${types})`,
    limit: PER_SEARCH_PAGE,
    ...query,
  });
}

/** `kind`: as addresses name it; `parents` for what is no file but lies above pages. */
const content = z.object({
  id,
  title: id,
  kind: id,
  parent: id.nullable(),
  parentType: id,
  version: id,
  modifiedAt: z.number().nullable(),
  link: id,
  file,
  labels: z.array(id),
});
export type Content = z.infer<typeof content>;
export type Contents = Record<string, Content>;

/** State of the whole listing, which does not grow with the number of pages. */
export const listingState = z.object({
  run: id,
  /** When it began, ms: changes are followed from there. */
  began: z.number(),
  spaces: spaceList,
  grants,
});
export type ListingState = z.infer<typeof listingState>;

/** Contents of a space as one step read them, with names in restrictions by the content's id. */
export const contentPart = z.object({ contents: z.array(content), restrictions: grants });
/** Files of a space that are listed together, with restrictions of all above them. */
export const filePart = z.object({
  files: z.array(z.custom<ListedFile>(isObject)),
  restrictions: grants,
  isLast: z.boolean(),
});

/** Steps for each space. `next`: where in the step; absent: it begins. `parts`: written before. */
export const STEPS = ["pages", "blogposts", "details", "parents", "forgotten", "files"] as const;
export const position = z.object({
  run: id,
  space: z.number(),
  step: z.number(),
  parts: z.number(),
  next: text,
});
export type Position = z.infer<typeof position>;

/** Adds contents of a part: an answer of a search has labels of a page, and attachments. */
export function addContents(contents: Contents, more: Content[]): void {
  for (const each of more) {
    const same = contents[each.id];
    if (each.kind === "attachments" && contents[each.parent ?? ""] === undefined) continue;
    if (each.kind !== "") contents[each.id] = each;
    else if (same !== undefined) same.labels = each.labels;
  }
}

/** `chain`: ids of the file and of all above it. */
export const fileState = z.object({
  kind: id,
  title: id,
  parent: id.nullable(),
  chain: z.array(id),
});

/** Labels of a file that was listed before. */
export const labelsIn = ({ labels }: ListedFile["metadata"]) => [labels].flat().map(String);

/** Gives contents their files. An attachment lies in a folder of its page's name. */
export function filesIn(contents: Contents, space: Space, site: string) {
  const topOf = ({ parent, kind }: Content) => {
    const isBelowHome = parent === space.homepageId && kind !== "attachments";
    return parent === null || isBelowHome || !contents[parent]?.title ? space.id : parent;
  };
  const folders = Object.values(contents).map((each) => [
    each.id,
    { name: each.title, parent: topOf(each) },
  ]);
  const base = { path: `${segmentOf(space.key)}/`, ancestors: [] };
  const tree = folderTree({ root: space.id, folders: Object.fromEntries(folders) }, base);
  return (each: Content): ListedFile => {
    const { title, kind, parent, labels, version, modifiedAt, link, file } = each;
    const place = tree.placeOf(topOf(each)) ?? { ...base, ancestors: [space.id] };
    const isPage = kind !== "attachments";
    const name = `${segmentOf(title)}${isPage ? ".md" : ""}`;
    return {
      path: `${place.path}${name}`,
      externalId: each.id,
      url: link.startsWith("/") ? `${site}${link}` : null,
      name,
      size: file.fileSize ?? 0,
      mimeType: isPage ? "text/markdown" : (file.mediaType ?? mediaTypeByName(name)),
      version,
      metadata: { space: space.key, labels, ancestors: place.ancestors },
      sourceState: { kind, title, parent, chain: chainOf(contents, each) },
      modifiedAt,
    };
  };
}

function chainOf(contents: Contents, { id: from, parent }: Content): string[] {
  const chain = new Set([from]);
  for (let at = parent; at !== null && !chain.has(at); at = contents[at]?.parent ?? null)
    chain.add(at);
  return [...chain];
}
