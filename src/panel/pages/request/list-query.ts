import type { PageAt } from "../../../db/keyset.ts";
import type { PageContext } from "../page-env.ts";

const ROWS = 50;
const KEY_MAX_LENGTH = 2_000;
const FILTER_MAX_LENGTH = 500;

/** The page of a list that the address names: `?after=` or `?before=` a key. */
export function pageAt(context: PageContext, limit = ROWS): PageAt {
  const key = (name: string) => context.req.query(name)?.slice(0, KEY_MAX_LENGTH) ?? null;
  return { after: key("after"), before: key("before"), limit };
}

/** A filter in the address; null when it is not set. */
export function filterIn(context: PageContext, name: string): string | null {
  const text = context.req.query(name)?.trim().slice(0, FILTER_MAX_LENGTH) ?? "";
  return text === "" ? null : text;
}

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
