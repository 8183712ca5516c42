import type { Child } from "hono/jsx";

import { LinkButton, useView } from "./data.tsx";
import { OptionList, type Option } from "./form.tsx";

export type Column<Row> = {
  head: Child;
  cell: (row: Row) => Child;
  /** The name of the row's subject: it takes the width that the other columns leave. */
  main?: boolean;
  /** Figures stand at the right, in columns of equal digits. */
  numeric?: boolean;
  /** Left out on phones: what a line can do without. */
  wide?: boolean;
  /** The column's name in `?sort=`, where the list can be sorted by it. */
  sort?: string;
  /** Left out for members. */
  forAdmins?: boolean;
};

export type Columns<Row> = readonly Column<Row>[];

/** How a list is sorted; `hrefOf` is the same list sorted by a column. */
export type Sort = {
  by: string | null;
  descending: boolean;
  hrefOf: (by: string, descending: boolean) => string;
};

/** Leads to the page that asks before the row's subject is removed. */
export const removeColumn = <Row,>(hrefOf: (row: Row) => string): Column<Row> => ({
  head: "",
  forAdmins: true,
  cell: (row) => <LinkButton href={hrefOf(row)} label="Remove" kind="small" />,
});

type TableProps<Row> = {
  label: string;
  columns: Columns<Row>;
  rows: readonly Row[];
  /** Shown in place of the table while there are no rows. */
  empty: Child;
  sorting?: Sort | null;
};

const classOf = ({ numeric, wide, main }: Column<never>) =>
  [numeric && "num", wide && "wide", main && "main"].filter(Boolean).join(" ") || undefined;

export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, empty, sorting = null } = props;
  const { mayChange } = useView();
  const columns = props.columns.filter(({ forAdmins }) => mayChange || forAdmins !== true);
  // Rows with a name are stacked on phones, where other tables scroll.
  const isList = columns.some(({ main }) => main === true);
  if (rows.length === 0) return <>{empty}</>;
  return (
    <div
      class={isList ? "table list" : "table"}
      role="region"
      aria-label={label}
      tabindex={isList ? undefined : 0}
    >
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) => (
                <td class={classOf(column)} data-label={labelOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const labelOf = ({ head, main }: Column<never>) =>
  main === true || typeof head !== "string" || head === "" ? undefined : head;

/** A second click on a column turns its order round. */
const Head = ({ column, sorting }: { column: Column<never>; sorting: Sort | null }) => {
  const { head, sort } = column;
  if (sorting === null || sort === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {head === "" ? <span class="hidden">Actions</span> : head}
      </th>
    );
  }
  const isBy = sorting.by === sort;
  const order = sorting.descending ? "descending" : "ascending";
  return (
    <th scope="col" class={classOf(column)} aria-sort={isBy ? order : undefined}>
      <a href={sorting.hrefOf(sort, isBy && !sorting.descending)}>
        {head}
        {isBy ? <span aria-hidden="true">{sorting.descending ? " ↓" : " ↑"}</span> : null}
      </a>
    </th>
  );
};

type PagerProps = {
  /** Addresses; null where there is nothing more. */
  previous: string | null;
  next: string | null;
  label?: string;
  /** Which part is shown. */
  children?: Child;
};

/** The way to the other parts of something long, if there are any. */
export const Pager = ({ previous, next, label = "Pages", children }: PagerProps) => {
  if (previous === null && next === null) {
    return children == null ? null : <p class="pager">{children}</p>;
  }
  return (
    <nav class="pager" aria-label={label}>
      <Turn href={previous} label="Previous" />
      {children}
      <Turn href={next} label="Next" />
    </nav>
  );
};

const Turn = ({ href, label }: { href: string | null; label: string }) =>
  href === null ? <span class="faint">{label}</span> : <a href={href}>{label}</a>;

type FiltersProps = { action: string; children: Child; active: boolean };

/** Filters of a list: a GET, so that they stand in the address. `active`: some are set. */
export const Filters = ({ action, children, active }: FiltersProps) => (
  <form method="get" action={action} class="filters" role="search">
    {children}
    <button class="btn">Search</button>
    {active ? <a href={action}>Clear</a> : null}
  </form>
);

type SearchProps = { name: string; label: string; value: string };

export const FilterText = ({ name, label, value }: SearchProps) => (
  <input
    type="search"
    name={name}
    value={value}
    aria-label={label}
    placeholder={label}
    dir="auto"
    autocomplete="off"
    data-search
  />
);

export const SearchFilter = (props: { action: string; label: string; part: string }) => (
  <Filters action={props.action} active={props.part !== ""}>
    <FilterText name="q" label={props.label} value={props.part} />
  </Filters>
);

type SelectProps = { name: string; label: string; value: string; options: readonly Option[] };

export const FilterSelect = ({ name, label, value, options }: SelectProps) => (
  <select name={name} aria-label={label}>
    <OptionList options={options} chosen={value} />
  </select>
);
