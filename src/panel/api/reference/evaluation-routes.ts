import { z } from "@hono/zod-openapi";

import {
  expectedShape,
  factsShape,
  foundShape,
  settingShape,
  summaryShape,
} from "../../../db/evaluation/stored-shapes.ts";
import { ANSWER_CHECKS, QUESTION_STATES, RUN_STATUSES } from "../../../db/schema/evaluation.ts";
import { questionForm } from "../../../evaluation/questions/question-form.ts";
import { newQuestionSet, questionSetPatch } from "../evaluation/question-sets.ts";
import { exported, listedState, newDrafts, questionPatch } from "../evaluation/questions.ts";
import { compared, newRun } from "../evaluation/runs.ts";
import { described, listOf, paging, time } from "./described.ts";

const QuestionSet = z
  .object({
    id: z.string(),
    name: z.string(),
    identifier: z.string(),
    rag: z.string().nullable(),
    inference: z.string().nullable(),
    judgeModel: z.string().nullable(),
    questions: z.int(),
    drafts: z.int(),
    createdAt: time,
  })
  .openapi("QuestionSet");
const asked = {
  question: z.string(),
  expected: z.array(expectedShape),
  check: z.enum(ANSWER_CHECKS).nullable(),
  answer: z.string().nullable(),
};
const Question = z
  .object({
    id: z.string(),
    state: z.enum(QUESTION_STATES),
    ...asked,
    jsonSchema: z.string().nullable(),
    createdAt: time,
  })
  .openapi("Question");
/** Made anew: only what comes after the extension of zod has `openapi`. */
const Summary = z.object(summaryShape.shape).openapi("RunSummary");
const Run = z
  .object({
    id: z.string(),
    status: z.enum(RUN_STATUSES),
    error: z.string().nullable(),
    setting: settingShape,
    facts: factsShape,
    total: z.int(),
    done: z.int(),
    summary: Summary.nullable(),
    startedAt: time,
    finishedAt: time.nullable(),
  })
  .openapi("EvaluationRun");
const spent = {
  inputTokens: z.int(),
  outputTokens: z.int(),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
};
const Result = z
  .object({
    questionId: z.string(),
    ...asked,
    ranks: z.array(z.int().nullable()),
    found: z.array(foundShape),
    response: z.string().nullable(),
    right: z.boolean().nullable(),
    why: z.string().nullable(),
    error: z.string().nullable(),
    degraded: z.boolean(),
    latencyMs: z.number(),
    ...spent,
    judge: z.object(spent).nullable(),
    finishedAt: time.nullable(),
  })
  .openapi("EvaluationResult");
const Comparison = z
  .object({
    questions: z.int(),
    first: Summary,
    second: Summary,
    measures: z.array(
      z.object({
        measure: z.string(),
        questions: z.int(),
        first: z.number(),
        second: z.number(),
        difference: z.record(z.string(), z.number()),
        isClear: z.boolean(),
      }),
    ),
  })
  .openapi("RunComparison");
const kept = { schema: z.object({ kept: z.int() }).openapi("KeptQuestions") };

const SET = "/question-sets/{id}";

const ofSets = [
  described("evaluation", "get", "/question-sets", {
    summary: "Question sets",
    description: "Each of one RAG or of one inference.",
    query: paging,
    answers: { 200: listOf(QuestionSet) },
  }),
  described("evaluation", "post", "/question-sets", {
    summary: "Add a question set",
    description: "`rag` or `inference` names what is asked.",
    body: newQuestionSet,
    answers: { 201: { schema: QuestionSet } },
    errors: [404, 409, 422],
  }),
  described("evaluation", "get", SET, {
    summary: "A question set",
    description: "With the number of its questions and drafts.",
    answers: { 200: { schema: QuestionSet } },
  }),
  described("evaluation", "patch", SET, {
    summary: "Change a question set",
    description: "Its name, or the model that judges answers.",
    body: questionSetPatch,
    answers: { 200: { schema: QuestionSet } },
    errors: [422],
  }),
  described("evaluation", "delete", SET, {
    summary: "Remove a question set",
    description: "Its questions and runs go with it.",
    answers: { 204: null },
  }),
  described("evaluation", "get", `${SET}/questions`, {
    summary: "Questions",
    description: "With what must be found or answered.",
    query: paging.extend(listedState.shape),
    answers: { 200: listOf(Question) },
  }),
  described("evaluation", "post", `${SET}/questions`, {
    summary: "Keep a question",
    description: "One that the set holds already is replaced.",
    body: questionForm,
    answers: { 201: kept },
    errors: [409, 422],
  }),
  described("evaluation", "patch", `${SET}/questions/{question}`, {
    summary: "Change a question",
    description: "Confirming a draft too.",
    body: questionPatch,
    answers: { 200: { schema: Question } },
    errors: [409, 422],
  }),
  described("evaluation", "delete", `${SET}/questions/{question}`, {
    summary: "Remove a question",
    description: "Runs that asked it keep their results.",
    answers: { 204: null },
  }),
  described("evaluation", "post", `${SET}/import`, {
    summary: "Import questions",
    description: "CSV or JSON Lines; one wrong line refuses all, and its number is told.",
    bytes: "text/csv",
    answers: { 200: kept },
    errors: [409, 413, 415, 422],
  }),
  described("evaluation", "get", `${SET}/export`, {
    summary: "Export questions",
    description: "In the form that an import takes.",
    query: exported,
    answers: { 200: { mediaType: "application/x-ndjson" } },
  }),
  described("evaluation", "post", `${SET}/draft`, {
    summary: "Draft questions from the documents",
    description: "A chat model writes them; a person confirms each before it is asked.",
    body: newDrafts,
    answers: { 200: { schema: z.object({ drafts: z.int() }) } },
    errors: [409, 422, 502],
  }),
];

const ofRuns = [
  described("evaluation", "get", `${SET}/runs`, {
    summary: "Runs, the newest first",
    description: "With their figures where they are done.",
    query: paging,
    answers: { 200: listOf(Run) },
  }),
  described("evaluation", "post", `${SET}/runs`, {
    summary: "Start a run",
    description: "It goes on in the background; `setting` holds what differs from the resource.",
    body: newRun,
    answers: { 201: { schema: Run } },
    errors: [409, 422],
  }),
  described("evaluation", "get", `${SET}/runs/{run}`, {
    summary: "A run",
    description: "How far it is, and its figures.",
    answers: { 200: { schema: Run } },
  }),
  described("evaluation", "get", `${SET}/runs/{run}/results`, {
    summary: "Results of a run",
    description: "Question by question.",
    query: paging,
    answers: { 200: listOf(Result) },
  }),
  described("evaluation", "get", `${SET}/runs/{run}/comparison`, {
    summary: "Compare two runs",
    description: "Paired by question, with a bootstrap interval of each difference.",
    query: compared,
    answers: { 200: { schema: Comparison } },
    errors: [422],
  }),
  described("evaluation", "delete", `${SET}/runs/{run}`, {
    summary: "Remove a run",
    description: "One under way ends.",
    answers: { 204: null },
  }),
];

export const evaluationReference = [...ofSets, ...ofRuns];
