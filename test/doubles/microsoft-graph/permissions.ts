import { json, type Item } from "./answers.ts";
import type { Grant } from "./grant.ts";

/*
 * https://learn.microsoft.com/graph/api/driveitem-list-permissions
 */

const PAGE = 100;

type Items = { get(id: string): Item | undefined };

/** Grants of the nearest item with permissions of its own. */
export function grantsOf(items: Items, item: Item): Grant[] {
  for (let at: Item | undefined = item; at !== undefined; at = items.get(at.parent ?? "")) {
    if (at.grants !== null) return at.grants;
  }
  return [];
}

/** The facet of an item: with `hierarchicalsharing` only where permissions do not come from above. */
export function sharedFacet(items: Items, item: Item, prefer: string) {
  const isOwn = item.grants !== null || item.kind === "root";
  if (prefer.includes("hierarchicalsharing") && !isOwn) return {};
  const grants = grantsOf(items, item);
  if (grants.length > 0) return { shared: { scope: "users" } };
  return isOwn ? { shared: {} } : {};
}

/** `GET drives/{id}/items/{id}/permissions` */
export function listPermissions(items: Items, item: Item, query: URLSearchParams, base: string) {
  const all = grantsOf(items, item);
  const from = Number(query.get("$skiptoken") ?? 0);
  const end = from + PAGE;
  const next = end < all.length ? { "@odata.nextLink": `${base}?$skiptoken=${end}` } : {};
  return json({ ...next, value: all.slice(from, end) });
}
