import type { Child } from "hono/jsx";

import type { Key, ListQuery } from "../../../db/page.ts";
import { COUNTED_MAX } from "../../../db/page.ts";
import { atLeast, count, counted } from "../../components/figures.ts";
import { SearchFilter } from "../../components/filters.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { Table, type Columns, type Sorting } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import { cursorOf, firstRowIn, hereOf, ROWS } from "./list-query.ts";

type Listed<Row> = {
  data: readonly Row[];
  before: Key | null;
  after: Key | null;
  /** All of the list; null: it is not counted. */
  total?: number | null;
  /** What the page is ordered by; absent: the list cannot be sorted. */
  sort?: ListQuery["sort"];
  /** Whether each order is read from an index, so that a list of any length is sorted. */
  isIndexed?: boolean;
};

type ListProps<Row> = {
  context: PageContext;
  /** What is listed: the table's name. */
  label: string;
  /** One of them, for the line that counts them: "file". */
  one?: string;
  listed: Listed<Row>;
  columns: Columns<Row>;
  /** The field that searches the list, where it has one. */
  search?: { label: string; part: string };
  /** Counting ended here: there may be more. */
  countedTo?: number;
  /** What stands behind the line that counts the rows. */
  beside?: Child;
  /** Shown in place of an empty list; a text is its title. */
  empty: Child;
};

/** One page of a list: its search, its rows, how many there are, the pages before and after. */
export function List<Row>(props: ListProps<Row>) {
  const { context, label, listed, columns, search, empty } = props;
  const here = hereOf(context);
  const [path = ""] = here.split("?", 1);
  const isSearched = search !== undefined && search.part !== "";
  const none = isSearched ? "No matches." : empty;
  const isShort = listed.data.length === 0 && listed.before === null && !isSearched;
  return (
    <>
      {search === undefined || isShort ? null : <SearchFilter action={path} {...search} />}
      <div id={label.toLowerCase().replaceAll(" ", "-")} data-live>
        <Table
          label={label}
          rows={listed.data}
          columns={columns}
          sorting={sortingOf(here, listed, props.countedTo)}
          empty={typeof none === "string" ? <Empty title={none} /> : none}
        />
        <Turns {...props} here={here} first={firstRowIn(context)} />
      </div>
    </>
  );
}

type TurnsProps<Row> = Pick<ListProps<Row>, "one" | "listed" | "countedTo" | "beside"> & {
  here: string;
  first: number;
};

/** Which rows are shown, of how many, and the way to the others. */
function Turns<Row>({ one, listed, countedTo = COUNTED_MAX, ...of }: TurnsProps<Row>) {
  const { here, beside } = of;
  const { data, before, after, total = null } = listed;
  if (data.length === 0 && before === null && after === null) return null;
  const first = before === null ? 1 : of.first;
  const last = first + data.length - 1;
  const previous = Math.max(1, first - ROWS);
  return (
    <Pager
      previous={turned(here, { before }, previous)}
      next={turned(here, { after }, last + 1)}
      isAlways={one !== undefined}
    >
      <span class="faint">
        {one === undefined ? null : whichOf({ first, last, total, countedTo, one, after })}
      </span>
      {beside}
    </Pager>
  );
}

type Which = {
  first: number;
  last: number;
  total: number | null;
  countedTo: number;
  one: string;
  after: Key | null;
};

/** "12 files", "51–100 of 3,000 files, page 2 of 60", "1–50". */
function whichOf({ first, last, total, countedTo, one, after }: Which): string {
  // A list ends with its last page, whether or not it was counted.
  const all = after === null ? last : total;
  if (after === null && first === 1) return counted(last, one);
  const rows = `${count(first)}–${count(last)}`;
  const page = `page ${count(Math.ceil(first / ROWS))}`;
  if (all === null || all < last) return `${rows}, ${page}`;
  const isCut = after !== null && all >= countedTo;
  const pages = isCut ? "" : ` of ${count(Math.ceil(all / ROWS))}`;
  return `${rows} of ${atLeast(all, isCut ? countedTo : Infinity, one)}, ${page}${pages}`;
}

/** The same list in another order, from its beginning; null: it cannot be sorted. */
function sortingOf<Row>(
  here: string,
  { sort, isIndexed = false, total = null }: Listed<Row>,
  countedTo = COUNTED_MAX,
): Sorting | null {
  if (sort === undefined) return null;
  if (!isIndexed && total !== null && total >= countedTo) return null;
  return {
    by: sort?.by ?? null,
    descending: sort?.descending ?? false,
    hrefOf: (by, descending) => changed(here, { sort: descending ? `-${by}` : by }),
  };
}

/** The page's address with its filters and this cursor. */
function turned(here: string, to: Record<string, Key | null>, row: number): string | null {
  const [[direction, key] = ["", null]] = Object.entries(to);
  return key === null ? null : changed(here, { [direction]: cursorOf(key), row: String(row) });
}

/** The page's address with its filters, and these in place of its own cursor. */
function changed(here: string, values: Record<string, string>): string {
  const [path = "", query = ""] = here.split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const name of ["before", "after", "row"]) parameters.delete(name);
  for (const [name, value] of Object.entries(values)) parameters.set(name, value);
  return `${path}?${parameters.toString()}`;
}
