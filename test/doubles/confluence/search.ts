import { pageOf, restrictionsOf, linksOf } from "./answers.ts";
import type { Content, Site } from "./site.ts";

/** Restrictions that one expansion shows. */
const RESTRICTIONS_SHOWN = 25;
/** The zone of the account: a query's times are its own. */
const ZONE_MS = 9 * 3_600_000;

/** `GET rest/api/content/search`, of CQL as far as a reader uses it. */
export function searchContent(site: Site, query: URLSearchParams) {
  const cql = query.get("cql") ?? "";
  const [, types = ""] = /type in \(([^)]*)\)/.exec(cql) ?? [];
  const [, keys] = /space (?:in \(|= )("[^)]*?")(?:\)| |$)/.exec(cql) ?? [];
  const [, since] = /lastmodified >= "([^"]*)"/.exec(cql) ?? [];
  const from = since === undefined ? 0 : Date.parse(`${since.replace(" ", "T")}:00Z`) - ZONE_MS;
  const isFound = (content: Content) =>
    types.split(", ").includes(content.type) &&
    content.status === "current" &&
    content.isSeen &&
    content.modified >= from &&
    !site.unindexed.has(content.id) &&
    (keys === undefined || keys.includes(`"${site.spaceOf(content).key}"`));
  const expand = query.getAll("expand").join(",");
  const results = [...site.contents.values()]
    .filter(isFound)
    .map((content) => resultOf(site, content, expand));
  const size = expand.includes("restrictions") ? 200 : 1_000;
  const page = pageOf(results, {
    path: "/rest/api/content/search",
    query,
    size: Math.min(size, site.pageSize),
  });
  return { ...page, size: results.length };
}

function resultOf(site: Site, content: Content, expand: string) {
  const { id, type, status, title, version, modified, labels, mediaType } = content;
  const fileSize = new TextEncoder().encode(content.body).length;
  const when = new Date(modified).toISOString();
  const ancestors =
    type === "page"
      ? site.above(content).map((each) => ({ id: each.id, type: each.type, title: each.title }))
      : [];
  const names = labels.map((name) => ({ prefix: "global", name, id: name, label: name }));
  const isRestricted = expand.includes("restrictions.read");
  return {
    id,
    type,
    status,
    title,
    ...(expand.includes("version") ? { version: { number: version, when, minorEdit: false } } : {}),
    ...(expand.includes("ancestors") ? { ancestors } : {}),
    ...(expand.includes("labels")
      ? { metadata: { labels: { results: names, start: 0, limit: 200, size: names.length } } }
      : {}),
    ...(isRestricted
      ? { restrictions: { read: restrictionsOf(site, content, RESTRICTIONS_SHOWN) } }
      : {}),
    ...(expand.includes("container") ? { container: containerOf(site, content) } : {}),
    ...(type === "attachment" ? { extensions: { mediaType, fileSize } } : {}),
    _links: linksOf(site, content),
  };
}

/** A page's is its space, whose id is a number here; the schema of confluence.js has text for it. */
function containerOf(site: Site, content: Content) {
  const { id, key } = site.spaceOf(content);
  const space = {
    id: site.hasNumericSpaceIds ? Number(id) : id,
    key,
    name: key,
    type: "global",
    status: "current",
  };
  return content.type === "attachment" ? { id: content.parent, type: "page" } : space;
}
