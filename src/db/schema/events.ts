import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import { jsonColumn, owner, textList, updatedAt } from "./columns.ts";

/**
 * Where events are sent. The outbox `events` is a table of the migrations alone: their triggers
 * write it.
 */
export const eventEndpoints = sqliteTable("event_endpoints", {
  id: text().primaryKey(),
  url: text().notNull(),
  events: jsonColumn(textList).notNull(),
  /** Only events of these RAGs; empty: all events. */
  ragIdentifiers: jsonColumn(textList).notNull(),
  enabled: integer({ mode: "boolean" }).notNull(),
  /** `keyId.iv.ciphertext`; the previous ones, a blank between, sign as well until `previousUntil`, ms. */
  sealedSecret: text().notNull(),
  sealedPreviousSecret: text(),
  previousUntil: integer().notNull().default(0),
  /** Since when tries fail, ms; null: the last succeeded. Kept where they have disabled it. */
  failingSince: integer(),
  /** The last event that it took, and when, ms. */
  takenUpTo: integer().notNull().default(0),
  takenAt: integer().notNull().default(0),
  updatedAt: updatedAt(),
});

export const eventDeliveries = sqliteTable("event_deliveries", {
  place: integer().primaryKey({ autoIncrement: true }),
  /** The `webhook-id`. */
  id: text().notNull().unique(),
  endpointId: owner<string>(() => eventEndpoints.id),
  type: text().notNull(),
  body: text().notNull(),
  status: text({ enum: ["waiting", "delivered", "failed"] }).notNull(),
  createdAt: integer().notNull(),
  tries: integer().notNull().default(0),
  /** When it is tried next while it waits, ms. */
  nextAt: integer().notNull(),
  /** The last status, or why there is none. */
  answer: text(),
});
