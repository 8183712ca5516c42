import { integer, text, type AnySQLiteColumn } from "drizzle-orm/sqlite-core";

/** When somebody last changed its settings, ms; 0: never. Grows with every change. */
export const updatedAt = () => integer().notNull().default(0);

/** The id of the row that this one belongs to, and goes with; `name`: of the column. */
export const owner = <Id extends string>(id: () => AnySQLiteColumn, name = "") =>
  text(name).$type<Id>().notNull().references(id, { onDelete: "cascade" });
