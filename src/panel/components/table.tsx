import type { Child } from "hono/jsx";

import { LinkButton } from "./data.tsx";

export type Column<Row> = {
  head: string;
  cell: (row: Row) => Child;
  /** Figures stand at the right, in columns of equal digits. */
  numeric?: boolean;
  /** Left out on phones: what a line can do without. */
  wide?: boolean;
};

/** Leads to the page that asks before the row's subject is removed. */
export const removeColumn = <Row,>(hrefOf: (row: Row) => string): Column<Row> => ({
  head: "",
  cell: (row) => <LinkButton href={hrefOf(row)} label="Remove" kind="small" />,
});

type TableProps<Row> = {
  /** What the table lists, for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Shown in place of the table while there are no rows. */
  empty: Child;
};

const classOf = ({ numeric, wide }: Column<never>) =>
  [numeric === true ? "num" : "", wide === true ? "wide" : ""].filter(Boolean).join(" ") ||
  undefined;

export function Table<Row>({ label, columns, rows, empty }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  return (
    <div class="table" role="region" aria-label={label} tabindex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.head === "" ? <span class="hidden">Actions</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) => (
                <td class={classOf(column)}>{column.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
