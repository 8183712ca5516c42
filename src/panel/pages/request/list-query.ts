import { z } from "zod";

import type { Key, ListQuery, PageAt } from "../../../db/page.ts";
import type { PageContext } from "../page-env.ts";

/** Rows of a list on one page. */
export const ROWS = 50;
const ROW_MAX = 1_000_000_000;
const KEY_MAX_LENGTH = 8_000;
const FILTER_MAX_LENGTH = 500;
/** Longer than any stored path. */
const PATH_MAX_LENGTH = 4_096;

const key = z.array(z.union([z.string(), z.number()]));

/** A key as it stands in an address. */
export const cursorOf = (of: Key) => Buffer.from(JSON.stringify(of)).toString("base64url");

/** Null for what is no key: the list is shown from its beginning. */
function keyIn(cursor: string | undefined): Key | null {
  if (cursor === undefined || cursor.length > KEY_MAX_LENGTH) return null;
  try {
    return key.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    return null;
  }
}

/** The page of a list that the address names: `?after=` or `?before=` a cursor. */
export const pageAt = ({ req }: PageContext, limit = ROWS): PageAt => ({
  after: keyIn(req.query("after")),
  before: keyIn(req.query("before")),
  limit,
});

/** The row of the list that its page begins with, as the links between pages carry it along. */
export const firstRowIn = ({ req }: PageContext): number => {
  const row = Number(req.query("row") ?? 1);
  return Number.isInteger(row) && row > 0 && row <= ROW_MAX ? row : 1;
};

const SORT = /^(-?)([a-z]+)$/;

/** `?sort=name`, `?sort=-name`. */
export function sortIn({ req }: PageContext): ListQuery["sort"] {
  const [, minus, by] = SORT.exec(req.query("sort") ?? "") ?? [];
  return by === undefined ? null : { by, descending: minus === "-" };
}

/** What the address of a list asks for: its page, `?q=` and `?sort=`. */
export const listQuery = (context: PageContext): ListQuery => {
  const search = filterIn(context, "q") ?? "";
  return { at: pageAt(context), search, sort: sortIn(context) };
};

/** A filter in the address; null when it is not set. */
export function filterIn(context: PageContext, name: string): string | null {
  const text = context.req.query(name)?.trim().slice(0, FILTER_MAX_LENGTH) ?? "";
  return text === "" ? null : text;
}

/** A path in the address as it is: spaces are part of it. Empty when there is none. */
export const pathIn = ({ req }: PageContext, name: string): string =>
  (req.query(name) ?? "").slice(0, PATH_MAX_LENGTH);

/** A filter that has a few values; null for any other. */
export function choiceIn<Value extends string>(
  context: PageContext,
  name: string,
  values: readonly Value[],
): Value | null {
  const text = context.req.query(name);
  return values.find((value) => value === text) ?? null;
}

/** The page's own address with its query, for links that keep the filters. */
export function hereOf(context: PageContext): string {
  const { pathname, search } = new URL(context.req.url);
  return pathname + search;
}
