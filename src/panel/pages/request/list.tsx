import type { Child } from "hono/jsx";
import { z } from "zod";

import { MAX_COUNTED } from "../../../db/page.ts";
import type { Key, ListQuery, PageAt, Slice } from "../../../db/page.ts";
import { LinkButton, type Link } from "../../components/data.tsx";
import { countOrMore, count, countText } from "../../components/figures.ts";
import { Empty } from "../../components/page-head.tsx";
import { SearchFilter, Pager, Table, type Columns, type Sort } from "../../components/table.tsx";
import { isAdmin, page, type PageContext, type PageProps } from "../page.tsx";
import { decodeJson } from "./page-cookies.ts";

type ListedRows<Row> = {
  data: readonly Row[];
  /** Absent: the list is whole. */
  before?: Key | null;
  after?: Key | null;
  /** All of the list; null: it is not counted. */
  total?: number | null;
  /** The order of the page; absent: the list cannot be sorted. */
  sort?: ListQuery["sort"];
  /** Whether each order is read from an index, so that a list of any length is sorted. */
  isIndexed?: boolean;
};

type ListProps<Row> = {
  context: PageContext;
  label: string;
  /** One of them, for the line that counts them: "file". */
  one?: string;
  listed: ListedRows<Row>;
  columns: Columns<Row>;
  search?: string;
  /** Counting ended here: there may be more. */
  countedTo?: number;
  beside?: Child;
  /** Shown in place of an empty list; a text is its title. */
  empty: Child;
};

/** One page of a list: its search, its rows, how many there are, the pages before and after. */
export function List<Row>(props: ListProps<Row>) {
  const { context, label, listed, columns, search, empty } = props;
  const address = ownAddressOf(context);
  const [path = ""] = address.split("?", 1);
  const part = filterIn(context, "q") ?? "";
  const isSearched = search !== undefined && part !== "";
  const none = isSearched ? "No matches." : empty;
  const isShort = listed.data.length === 0 && listed.before == null && !isSearched;
  return (
    <>
      {search === undefined || isShort ? null : (
        <SearchFilter action={path} label={search} part={part} />
      )}
      <div id={label.toLowerCase().replaceAll(" ", "-")} data-live>
        <Table
          label={label}
          rows={listed.data}
          columns={columns}
          sorting={sortingOf(address, listed, props.countedTo)}
          empty={typeof none === "string" ? <Empty title={none} /> : none}
        />
        <Turns {...props} here={address} first={numberIn(context, "row", 1)} />
      </div>
    </>
  );
}

type ListPageProps<Row> = PageProps &
  Omit<ListProps<Row>, "context" | "label" | "empty"> & {
    /** Shown in place of an empty list: what is missing, and what it is for. */
    none: { title: string; says: Child };
    /** Where administrators make another one. */
    add?: Link;
  };

/** A page of one list, which its title names. */
export async function listPage<Row>(context: PageContext, props: ListPageProps<Row>) {
  const { none, add, actions } = props;
  const action = add !== undefined && isAdmin(context) ? add : null;
  const button = action === null ? null : <LinkButton {...action} kind="primary" />;
  const empty = (
    <Empty title={none.title} action={action}>
      {none.says}
    </Empty>
  );
  return await page(
    context,
    { ...props, actions: actions === undefined ? button : <>{[actions, button]}</> },
    <List {...props} context={context} label={props.title} empty={empty} />,
  );
}

type TurnsProps<Row> = Pick<ListProps<Row>, "one" | "listed" | "countedTo" | "beside"> & {
  here: string;
  first: number;
};

/** Which rows are shown, of how many, and the way to the others. */
function Turns<Row>({ one, listed, countedTo = MAX_COUNTED, ...rest }: TurnsProps<Row>) {
  const { here, beside } = rest;
  const { data, before = null, after = null } = listed;
  if (data.length === 0 && before === null && after === null) return null;
  const first = before === null ? 1 : rest.first;
  const last = first + data.length - 1;
  const previous = Math.max(1, first - ROWS);
  return (
    <Pager previous={linkTo(here, { before }, previous)} next={linkTo(here, { after }, last + 1)}>
      {one === undefined ? null : (
        <>
          <span class="faint">{rangeText({ one, listed, countedTo }, first)}</span>
          {beside}
        </>
      )}
    </Pager>
  );
}

type Which = { one: string; listed: ListedRows<unknown>; countedTo: number };

/** "12 files", "51–100 of 3,000 files, page 2 of 60", "1–50". */
function rangeText({ one, listed, countedTo }: Which, first: number): string {
  const { data, after = null, total = null } = listed;
  const last = first + data.length - 1;
  // A list ends with its last page, whether or not it was counted.
  const all = after === null ? last : total;
  if (after === null && first === 1) return countText(last, one);
  const rows = `${count(first)}–${count(last)}`;
  const page = `page ${count(Math.ceil(first / ROWS))}`;
  if (all === null || all < last) return `${rows}, ${page}`;
  const isCut = after !== null && all >= countedTo;
  const pages = isCut ? "" : ` of ${count(Math.ceil(all / ROWS))}`;
  return `${rows} of ${countOrMore(all, isCut ? countedTo : Infinity, one)}, ${page}${pages}`;
}

/** The list in another order, from its beginning; null: it cannot be sorted. */
function sortingOf<Row>(
  address: string,
  { sort, isIndexed = false, total = null }: ListedRows<Row>,
  countedTo = MAX_COUNTED,
): Sort | null {
  if (sort === undefined) return null;
  if (!isIndexed && total !== null && total >= countedTo) return null;
  return {
    by: sort?.by ?? null,
    descending: sort?.descending ?? false,
    hrefOf: (by, descending) => withQuery(address, { sort: descending ? `-${by}` : by }),
  };
}

function linkTo(address: string, to: Record<string, Key | null>, row: number): string | null {
  const [[direction, key] = ["", null]] = Object.entries(to);
  return key === null ? null : withQuery(address, { [direction]: cursorOf(key), row: String(row) });
}

/** The page's address with its filters, and these in place of its own cursor. */
export function withQuery(address: string, values: Record<string, string>): string {
  const [path = "", query = ""] = address.split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const name of ["before", "after", "row"]) parameters.delete(name);
  for (const [name, value] of Object.entries(values)) parameters.set(name, value);
  return `${path}?${parameters.toString()}`;
}

/** Files of a source are counted up to so many: counting further would read one row per file. */
export const FILES_COUNTED = 10_000;
/** Rows of a list on one page. */
export const ROWS = 50;
const MAX_ROW = 1_000_000_000;
const MAX_KEY_LENGTH = 8_000;
const MAX_FILTER_LENGTH = 500;
/** Longer than any stored path. */
const MAX_PATH_LENGTH = 4_096;

const key = z.array(z.union([z.string(), z.number()]));

/** A key as it stands in an address. */
const cursorOf = (key: Key) => Buffer.from(JSON.stringify(key)).toString("base64url");

/** Null for what is no key: the list is shown from its beginning. */
function keyIn(cursor: string | undefined): Key | null {
  if (cursor === undefined || cursor.length > MAX_KEY_LENGTH) return null;
  return key.safeParse(decodeJson(cursor)).data ?? null;
}

/** The page of a list that the address names: `?after=` or `?before=` a cursor. */
export const pageAt = ({ req }: PageContext): PageAt => ({
  after: keyIn(req.query("after")),
  before: keyIn(req.query("before")),
  limit: ROWS,
});

/** A row or a place in the address; the least one for what is none. */
function numberIn({ req }: PageContext, name: string, least: number): number {
  const number = Number(req.query(name) ?? least);
  return Number.isInteger(number) && number >= least && number <= MAX_ROW ? number : least;
}

const SORT = /^(-?)([a-z]+)$/;

/** `?sort=name`, `?sort=-name`. */
export function sortIn({ req }: PageContext): ListQuery["sort"] {
  const [, minus, by] = SORT.exec(req.query("sort") ?? "") ?? [];
  return by === undefined ? null : { by, descending: minus === "-" };
}

/** The address of a list: its page, `?q=` and `?sort=`. */
export const listQuery = (context: PageContext): ListQuery => {
  const search = filterIn(context, "q") ?? "";
  return { at: pageAt(context), search, sort: sortIn(context) };
};

/** A filter in the address; null when it is not set. */
export function filterIn(context: PageContext, name: string): string | null {
  const text = context.req.query(name)?.trim().slice(0, MAX_FILTER_LENGTH) ?? "";
  return text === "" ? null : text;
}

/** A path in the address as it is: spaces are part of it. Empty when there is none. */
export const pathIn = ({ req }: PageContext, name: string): string =>
  (req.query(name) ?? "").slice(0, MAX_PATH_LENGTH);

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
export function ownAddressOf(context: PageContext): string {
  const { pathname, search } = new URL(context.req.url);
  return pathname + search;
}

/** The part of something long that the address names: `?from=`. */
export const sliceIn = (context: PageContext, limit: number): Slice => ({
  offset: numberIn(context, "from", 0),
  limit,
});

/** `here`: the address of the first part. */
type PartProps = Slice & { here: string; total: number; unit: string };

/** Which part of something long is shown, and the way to the others. */
export const Part = ({ here, offset: from, limit, total, unit }: PartProps) => {
  if (total === 0) return null;
  const to = Math.min(total, from + limit);
  const addressAt = (offset: number) => withQuery(here, { from: String(offset) });
  const all = countText(total, unit);
  const which = to - from === total ? all : `${count(from + 1)} to ${count(to)} of ${all}`;
  return (
    <Pager
      label="Parts"
      previous={from === 0 ? null : addressAt(Math.max(0, from - limit))}
      next={to >= total ? null : addressAt(to)}
    >
      <span class="faint">{which}</span>
    </Pager>
  );
};
