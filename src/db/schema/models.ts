import { integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { z } from "zod";

import type { AgentId, InferenceId, RagId } from "../../core/ids.ts";
import { MODEL_KINDS } from "../../core/models/model-kind.ts";
import { jsonColumn, links, textList, updatedAt, choice } from "./columns.ts";
import { rags } from "./rags.ts";

const settings = {
  name: text().notNull(),
  identifier: text().notNull(),
  systemPrompt: text().notNull(),
  model: text().notNull(),
  temperature: real(),
  maxOutputTokens: integer(),
  openToMembers: integer({ mode: "boolean" }).notNull().default(false),
  createdAt: integer().notNull(),
  updatedAt: updatedAt(),
};

export const inferences = sqliteTable(
  "inferences",
  {
    id: text().$type<InferenceId>().primaryKey(),
    ...settings,
    nativeRag: integer({ mode: "boolean" }).notNull().default(true),
    conversation: choice("rewrite", "last-message"),
    planning: choice("off", "on"),
  },
  (table) => [uniqueIndex("inferences_identifier").on(table.identifier)],
);

export const agents = sqliteTable(
  "agents",
  {
    id: text().$type<AgentId>().primaryKey(),
    ...settings,
    description: text().notNull().default(""),
    maxSteps: integer().notNull().default(5),
  },
  (table) => [uniqueIndex("agents_identifier").on(table.identifier)],
);

/** The RAGs that inferences, or agents, search. */
export const inferenceRags = links<InferenceId, RagId>(
  ["inference", () => inferences.id],
  ["rag", () => rags.id],
);
export const agentRags = links<AgentId, RagId>(["agent", () => agents.id], ["rag", () => rags.id]);

/** Models offered in the panel, with prices per million tokens. */
export const models = sqliteTable(
  "models",
  {
    model: text().notNull(),
    kind: text({ enum: MODEL_KINDS }).notNull(),
    inputPrice: real().notNull(),
    outputPrice: real().notNull(),
    currency: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.model, table.kind] })],
);

/**
 * Usage per hour. Each call adds to one row for every dimension that it concerns (`all`, its
 * inference, its agent, each RAG, its token, its model). Created `without rowid`, so that a row is
 * one write.
 */
export const usageHours = sqliteTable(
  "usage_hours",
  {
    /** Start of the hour, ms. */
    hour: integer().notNull(),
    dimension: text({ enum: ["all", "inference", "agent", "rag", "token", "model"] }).notNull(),
    /** Id of the resource, name of the model, or empty for `all`. */
    key: text().notNull(),
    /** Currency of `cost`; empty when nothing has a price. */
    currency: text().notNull(),
    calls: integer().notNull(),
    errors: integer().notNull(),
    degraded: integer().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cost: real().notNull(),
    /** Calls by latency bucket (core/calls/latency-buckets.ts), as a JSON object. */
    latencies: jsonColumn(z.record(z.string(), z.number())).notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.dimension, table.hour, table.key, table.currency] })],
);

/** Messages already counted, so that a second delivery is not: a row for a batch and time slot. */
export const usageCounted = sqliteTable(
  "usage_counted",
  {
    slot: integer().notNull(),
    /** Smallest and largest of `ids`. */
    first: text().notNull(),
    last: text().notNull(),
    /** A JSON list. */
    ids: jsonColumn(textList).notNull(),
  },
  (table) => [primaryKey({ columns: [table.slot, table.first] })],
);
