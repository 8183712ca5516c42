import { customType, index, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { text, type AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { z } from "zod";

import { isObject } from "../../core/is-object.ts";
import type { LeftOut } from "../../ports/source-reader.ts";

/** A column of JSON text; what is read from it is checked by the shape. */
export const jsonColumn = <Value>(shape: { parse: (given: unknown) => Value }) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (json) => shape.parse(JSON.parse(json)),
  })();

/** A JSON object whose fields are checked by their reader. */
export const jsonObject = {
  parse: (value: unknown): Record<string, unknown> => {
    if (isObject(value)) return value;
    throw new TypeError("a column does not hold a JSON object");
  },
};

export const numberList = z.array(z.number());
export const textList = z.array(z.string());

/** When somebody last changed its settings, ms; 0: never. Grows with every change. */
export const updatedAt = () => integer().notNull().default(0);

/** One of these; the first by default. */
export const choice = <const Value extends string>(...values: [Value, ...Value[]]) =>
  text({ enum: values }).notNull().default(values[0]);

/** The id of a row that this one goes with, if it belongs to one; `name`: of the column. */
export const ownerOrNull = <Id extends string>(id: () => AnySQLiteColumn, name = "") =>
  text(name).$type<Id>().references(id, { onDelete: "cascade" });

/** The id of the row that this one belongs to, and goes with. */
export const owner = <Id extends string>(id: () => AnySQLiteColumn, name = "") =>
  ownerOrNull<Id>(id, name).notNull();

/** A kind of row, and the id of each. */
export type LinkEnd = [kind: string, id: () => AnySQLiteColumn];

/** A table of pairs of rows, read from either end. */
export const links = <From extends string, To extends string>(
  [from, fromId]: LinkEnd,
  [to, toId]: LinkEnd,
) =>
  sqliteTable(
    `${from}_${to}s`,
    { from: owner<From>(fromId, `${from}_id`), to: owner<To>(toId, `${to}_id`) },
    (table) => [
      primaryKey({ columns: [table.from, table.to] }),
      index(`${from}_${to}s_${to}`).on(table.to),
    ],
  );

/** Counts of files that limits keep out of a listing. */
export const leftOutList: z.ZodType<LeftOut[]> = z.array(
  z.object({
    limit: z.string(),
    about: z.string().optional(),
    addresses: z.number(),
    isAtLeast: z.boolean(),
  }),
);

/** `nobody`: files that nobody can read; `unknown`: files of groups whose members are not known. */
export const accessCounts = z.record(
  z.enum(["files", "nobody", "unreadable", "unknown"]),
  z.number(),
);
