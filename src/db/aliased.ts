import { sql, type Column, type GetColumnData, type SQL } from "drizzle-orm";

type Aliased<Columns extends Record<string, Column>> = {
  [Name in keyof Columns]: SQL.Aliased<GetColumnData<Columns[Name]>>;
};

/**
 * Selects columns under unique aliases. In a D1 batch rows are objects keyed by column name, so
 * equal names of joined tables would overwrite one another.
 */
export function aliased<Columns extends Record<string, Column>>(
  prefix: string,
  columns: Columns,
): Aliased<Columns> {
  const entries = Object.entries(columns).map(([name, column]) => [
    name,
    sql`${column}`.mapWith(column).as(`${prefix}_${name}`),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of these columns, name by name
  return Object.fromEntries(entries) as Aliased<Columns>;
}
