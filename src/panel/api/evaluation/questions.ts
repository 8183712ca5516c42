import { z } from "@hono/zod-openapi";

import { invalid, notFound, orNotFound } from "../../../core/errors.ts";
import {
  allQuestions,
  deleteQuestion,
  findQuestion,
  listQuestions,
  type Question,
} from "../../../db/evaluation/question-store.ts";
import { type QuestionSet, deleteSet, listSets } from "../../../db/evaluation/set-store.ts";
import { expectedShape, ANSWER_CHECKS } from "../../../db/schema/evaluation.ts";
import { MAX_IMPORT_BYTES } from "../../../evaluation/limits.ts";
import { questionsAsCsv } from "../../../evaluation/questions/export-questions.ts";
import { questionsAsJsonLines } from "../../../evaluation/questions/export-questions.ts";
import { absentOfSet } from "../../../evaluation/questions/absent-files.ts";
import { importedQuestions } from "../../../evaluation/questions/import-questions.ts";
import { changeQuestion, keepQuestions } from "../../../evaluation/questions/keep-questions.ts";
import { askedOf, questionFields } from "../../../evaluation/questions/question-form.ts";
import { questionForm } from "../../../evaluation/questions/question-form.ts";
import {
  findQuestionSet,
  changeQuestionSet,
  createQuestionSet,
  newQuestionSet,
  questionSetPatch,
} from "../../../evaluation/questions/question-sets.ts";
import { readText, refuseCoded } from "../../../http/middleware/json-body.ts";
import { all, Endpoints, pageOf, time } from "../request/endpoint.ts";
import { given } from "../../../core/input/given.ts";

const exported = z.object({ format: z.enum(["csv", "jsonl"]).default("jsonl") });

const questionPatch = z.object(questionFields).partial();

/** What a question asks, as lists of questions and of results show it. */
export const shownAsked = {
  question: z.string(),
  expected: z.array(expectedShape),
  check: z.enum(ANSWER_CHECKS).nullable(),
  answer: z.string().nullable(),
};
const Shown = z
  .object({ id: z.string(), ...shownAsked, jsonSchema: z.string().nullable(), createdAt: time })
  .openapi("Question");
const shownOf = (question: Question) => ({ ...question, check: question.answerCheck });
const kept = z.object({ kept: z.int() }).openapi("KeptQuestions");

const SET = "/question-sets/{id}";

export const questionRoutes = new Endpoints("evaluation", findQuestionSet)
  .list(
    `get ${SET}/questions`,
    "Questions. With what must be found or answered.",
    { item: Shown },
    async ({ services, found: set, paging }) =>
      pageOf(await listQuestions(services.db, set.id, paging), shownOf),
  )
  .json(
    `post ${SET}/questions`,
    "Add a question. Replaces an equal question of the set.",
    { body: questionForm, answer: kept, status: 201, errors: [409, 422] },
    async ({ services, found: set, body }) => {
      await keepQuestions(services, { set, asked: [askedOf(body)] });
      return { kept: 1 };
    },
  )
  .json(
    `patch ${SET}/questions/{question}`,
    "Change a question. In part or in whole.",
    { body: questionPatch, answer: Shown, errors: [409, 422] },
    async ({ context, services, found: set, body }) => {
      const id = context.req.param("question") ?? "";
      const question = orNotFound(await findQuestion(services.db, set.id, id));
      const change = askedOf({ ...shownOf(question), ...given(body) });
      return shownOf(await changeQuestion(services, { set, question, change }));
    },
  )
  .empty(
    `delete ${SET}/questions/{question}`,
    "Remove a question. Runs that asked it keep their results.",
    {},
    async ({ context, services, found: set }) => {
      const id = context.req.param("question") ?? "";
      if (!(await deleteQuestion(services.db, set.id, id))) throw notFound();
    },
  )
  .json(
    `post ${SET}/import`,
    "Import questions. CSV or JSON Lines. One wrong line refuses the import; the error names its number.",
    {
      bytes: ["text/csv", "application/x-ndjson", "application/jsonl"],
      answer: z.object({ kept: z.int(), absent: z.array(z.string()) }).openapi("ImportedQuestions"),
      errors: [409, 413, 415, 422],
    },
    async ({ context: { req }, services, found: set }) => {
      const [type = ""] = (req.header("Content-Type") ?? "").toLowerCase().split(";");
      const format = [...FORMATS].find(([name]) => name === type.trim())?.[1];
      if (format === undefined) {
        throw invalid("Content-Type must be text/csv or application/x-ndjson");
      }
      refuseCoded(req.raw.headers);
      const asked = importedQuestions(await readText(req.raw, MAX_IMPORT_BYTES), format, set);
      await keepQuestions(services, { set, asked });
      return { kept: asked.length, absent: await absentOfSet(services, { set, asked }) };
    },
  )
  .raw(
    `get ${SET}/export`,
    "Export questions. In the form that an import takes.",
    { query: exported },
    { 200: { mediaTypes: ["application/x-ndjson", "text/csv"] } },
    async ({ context, services, found: set, query: { format } }) => {
      const questions = await allQuestions(services.db, set.id);
      const isCsv = format === "csv";
      const body = isCsv ? questionsAsCsv(questions) : questionsAsJsonLines(questions);
      return context.body(body, 200, {
        "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "Content-Disposition": `attachment; filename="${set.identifier}.${format}"`,
      });
    },
  ).app;

const FORMATS = new Map([
  ["text/csv", "csv"],
  ["application/x-ndjson", "jsonl"],
  ["application/jsonl", "jsonl"],
] as const);

const shownSet = (set: QuestionSet) => ({
  ...set,
  rag: set.subjectKind === "rag" ? set.subjectIdentifier : null,
  inference: set.subjectKind === "inference" ? set.subjectIdentifier : null,
});
const ShownSet = z
  .object({
    ...all(z.string(), "id", "name", "identifier"),
    ...all(z.string().nullable(), "rag", "inference", "judgeModel"),
    questions: z.int(),
    createdAt: time,
  })
  .openapi("QuestionSet");

const oneSubject = {
  if: { properties: { rag: {} }, required: ["rag"] },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
  then: { properties: { inference: { not: {} } } },
  else: { properties: { inference: {} }, required: ["inference"] },
};

export const questionSetRoutes = new Endpoints("evaluation", findQuestionSet)
  .list(
    "get /question-sets",
    "Question sets. Each set belongs to one RAG or one inference.",
    { item: ShownSet },
    async ({ services, paging }) => pageOf(await listSets(services.db, paging), shownSet),
  )
  .json(
    "post /question-sets",
    "Add a question set. `rag` or `inference` answers the questions.",
    {
      body: newQuestionSet.meta(oneSubject),
      answer: ShownSet,
      status: 201,
      errors: [404, 409, 422],
    },
    async ({ services, body }) => shownSet(await createQuestionSet(services, body)),
  )
  .json(
    `get ${SET}`,
    "A question set. With the number of its questions.",
    { answer: ShownSet },
    async ({ found: set }) => shownSet(set),
  )
  .json(
    `patch ${SET}`,
    "Change a question set. Its name, or the model that judges answers.",
    { body: questionSetPatch, answer: ShownSet, errors: [422] },
    async ({ services, found: set, body }) => {
      return shownSet(await changeQuestionSet(services, set, given(body)));
    },
  )
  .empty(
    `delete ${SET}`,
    "Remove a question set. Its questions and runs go with it.",
    {},
    async ({ services, found: set }) => await deleteSet(services.db, set.id),
  ).app;
