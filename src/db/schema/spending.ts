import { integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** How much may be spent in a day or month (UTC). What is spent is counted in SpendingLedger. */
export const spendingLimits = sqliteTable(
  "spending_limits",
  {
    id: text().primaryKey(),
    subjectKind: text({ enum: ["service", "token", "inference", "agent", "person"] }).notNull(),
    /** Id of a resource, or the address of a person in lower case; empty for the service. */
    subjectId: text().notNull(),
    /** In `unit`: US dollars, tokens of models, or calls of inferences and agents. */
    amount: real().notNull(),
    unit: text({ enum: ["usd", "modelTokens", "calls"] }).notNull(),
    period: text({ enum: ["day", "month"] }).notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex("spending_limits_subject").on(
      table.subjectKind,
      table.subjectId,
      table.unit,
      table.period,
    ),
  ],
);
