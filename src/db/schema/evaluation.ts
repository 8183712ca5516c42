import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { z } from "zod";

import type {
  EvaluationRunId,
  InferenceId,
  QuestionId,
  QuestionSetId,
  RagId,
} from "../../core/ids.ts";
import { settingShape } from "../../core/input/run-setting.ts";
import { jsonColumn, owner, updatedAt, ownerOrNull } from "./columns.ts";
import { inferences } from "./models.ts";
import { rags } from "./rags.ts";

/** Something that must be found: a file and, unless null, a text in it. */
export const expectedShape = z.object({ file: z.string(), passage: z.string().nullable() });
export type ExpectedResult = z.infer<typeof expectedShape>;

/** The settings of a run, for people who read it later. */
const factsShape = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type RunFacts = z.infer<typeof factsShape>;

/** Tokens, and what they cost; null where nothing has a price or prices have two currencies. */
export const spentShape = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cost: z.number().nullable(),
  currency: z.string().nullable(),
});
export type ModelUsage = z.infer<typeof spentShape>;

const cost = z.object({ amount: z.number(), currency: z.string() }).nullable();
const spentInAll = { inputTokens: z.number(), outputTokens: z.number(), cost };

/** Figures of a run. Measures and shares are 0 to 1, times are ms. */
export const summaryShape = z.object({
  questions: z.number(),
  errors: z.number(),
  /** By name; null: no question asks for it. */
  measures: z.record(z.string(), z.number().nullable()),
  degradedShare: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  ...spentInAll,
  /** Cost of judging the answers, which is not in the figures above; null: none was judged. */
  judge: z.object(spentInAll).nullable(),
});
export type RunSummary = z.infer<typeof summaryShape>;

export const foundShape = z.object({
  file: z.string(),
  page: z.number().nullable(),
  score: z.number(),
});

/** How an answer is held against what was expected. */
export const ANSWER_CHECKS = ["contains", "equals", "json", "judged"] as const;

export const RUN_STATUSES = ["running", "done", "failed"] as const;

/** Questions with what must be found or answered, of one RAG or of one inference. */
export const questionSets = sqliteTable(
  "question_sets",
  {
    id: text().$type<QuestionSetId>().primaryKey(),
    name: text().notNull(),
    identifier: text().notNull(),
    /** One of the two is null. */
    ragId: ownerOrNull<RagId>(() => rags.id),
    inferenceId: ownerOrNull<InferenceId>(() => inferences.id),
    /** The chat model that judges answers; null: none. */
    judgeModel: text(),
    createdAt: integer().notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("question_sets_identifier").on(table.identifier),
    index("question_sets_rag").on(table.ragId),
    index("question_sets_inference").on(table.inferenceId),
  ],
);

/** A question's text and expectations; a run keeps a copy. */
const questionColumns = {
  question: text().notNull(),
  /** A JSON list of `{ file, passage }`: what must be found. */
  expected: jsonColumn(z.array(expectedShape)).notNull().default([]),
  /** Null: the answer is not checked. */
  answerCheck: text({ enum: ANSWER_CHECKS }),
  /** The text, JSON value or rubric that the check needs. */
  answer: text(),
  /** The JSON Schema that the answer must follow; null: plain text. */
  jsonSchema: text(),
};

export const questions = sqliteTable(
  "questions",
  {
    id: text().$type<QuestionId>().primaryKey(),
    setId: owner<QuestionSetId>(() => questionSets.id),
    ...questionColumns,
    createdAt: integer().notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("questions_once").on(table.setId, table.question)],
);

/** One pass through a set's questions with one setting. */
export const evaluationRuns = sqliteTable(
  "evaluation_runs",
  {
    id: text().$type<EvaluationRunId>().primaryKey(),
    setId: owner<QuestionSetId>(() => questionSets.id),
    /** JSON: what differs from the resource's own settings. */
    setting: jsonColumn(settingShape).notNull(),
    /** JSON: what it was run with, such as models and chunk size. */
    facts: jsonColumn(factsShape).notNull(),
    status: text({ enum: RUN_STATUSES }).notNull(),
    /** Why it failed. */
    error: text(),
    total: integer().notNull(),
    /** JSON: the figures; null until it is done. */
    summary: jsonColumn(summaryShape),
    /** Who works on it; null: its message waits. */
    lease: text(),
    /** When the sweep sends another message, ms. */
    claimedUntil: integer().notNull(),
    startedAt: integer().notNull(),
    finishedAt: integer(),
  },
  (table) => [
    index("evaluation_runs_set").on(table.setId, table.id),
    index("evaluation_runs_claimed")
      .on(table.claimedUntil)
      .where(sql`status = 'running'`),
  ],
);

/** Queries of programs to a RAG, where `KEEP_QUERIES_DAYS` says so. */
export const keptQueries = sqliteTable(
  "kept_queries",
  {
    id: text().primaryKey(),
    ragId: owner<RagId>(() => rags.id),
    at: integer().notNull(),
    query: text().notNull(),
    /** Equal for queries that say the same. */
    sameAs: text().notNull(),
    /** Similarity of the best passage; null: nothing was found. */
    bestScore: real(),
    file: text(),
  },
  (table) => [
    index("kept_queries_at").on(table.at),
    index("kept_queries_same").on(table.ragId, table.sameAs),
  ],
);

/** A question of a run and, once `finishedAt` is set, what came of it. */
export const evaluationResults = sqliteTable(
  "evaluation_results",
  {
    runId: owner<EvaluationRunId>(() => evaluationRuns.id),
    /** Outlives the question: a later run is compared with this one by it. */
    questionId: text().$type<QuestionId>().notNull(),
    ...questionColumns,
    /** Counted before the work begins: what kills its worker is known. */
    attempts: integer().notNull().default(0),
    finishedAt: integer(),
    /** A JSON list: for each expected passage its rank from 1, or null. */
    ranks: jsonColumn(z.array(z.number().nullable())).notNull().default([]),
    /** A JSON list of the first passages, `{ file, page, score }`. */
    found: jsonColumn(z.array(foundShape)).notNull().default([]),
    response: text(),
    /** Null: not checked, or its judge failed. */
    isRight: integer({ mode: "boolean" }),
    /** The judge's reason. */
    why: text(),
    error: text(),
    isDegraded: integer({ mode: "boolean" }).notNull().default(false),
    latencyMs: integer().notNull().default(0),
    inputTokens: integer().notNull().default(0),
    outputTokens: integer().notNull().default(0),
    /** In `currency`; null where nothing has a price. */
    cost: real(),
    currency: text(),
    /** JSON: tokens and cost of the judge; null where none gave a verdict. */
    judge: jsonColumn(spentShape),
  },
  (table) => [primaryKey({ columns: [table.runId, table.questionId] })],
);
