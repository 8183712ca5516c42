import { Hono } from "hono";
import { z } from "zod";

import { invalid, notFound } from "../../../core/errors.ts";
import { isoTime } from "../../../core/time.ts";
import {
  confirmedQuestions,
  deleteQuestion,
  findQuestion,
  listQuestions,
  type Question,
} from "../../../db/evaluation/question-store.ts";
import { QUESTION_STATES } from "../../../db/schema/evaluation.ts";
import { DRAFTS_AT_ONCE_MAX, IMPORT_MAX_BYTES } from "../../../evaluation/limits.ts";
import { draftQuestions } from "../../../evaluation/questions/draft-questions.ts";
import {
  questionsAsCsv,
  questionsAsJsonLines,
} from "../../../evaluation/questions/export-questions.ts";
import { absentOfSet } from "../../../evaluation/questions/absent-files.ts";
import { importedQuestions } from "../../../evaluation/questions/import-questions.ts";
import { changeQuestion, keepQuestions } from "../../../evaluation/questions/keep-questions.ts";
import {
  askedOf,
  questionFields,
  questionForm,
} from "../../../evaluation/questions/question-form.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { jsonBody, readText, refuseCoded } from "../../../http/middleware/json-body.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { modelName } from "../request/fields.ts";
import type { PanelEnv } from "../request/panel-env.ts";
import { bodyOf, given, pageOf, pagingOf } from "../request/read-request.ts";

const state = z.enum(QUESTION_STATES);
export const listedState = z.object({ state: state.optional() });
export const exported = z.object({ format: z.enum(["csv", "jsonl"]).default("jsonl") });

export const questionPatch = z.object({ ...questionFields, state }).partial();
export const newDrafts = z.object({
  model: modelName,
  count: z.int().min(1).max(DRAFTS_AT_ONCE_MAX).default(DRAFTS_AT_ONCE_MAX),
});

const shown = (question: Question) => ({
  id: question.id,
  state: question.state,
  question: question.question,
  expected: question.expected,
  check: question.answerCheck,
  answer: question.answer,
  jsonSchema: question.jsonSchema,
  createdAt: isoTime(question.createdAt),
});

/** Below `/question-sets`. */
export function questionRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/:id/questions", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const { state: wanted = null } = parseOrRefuse(listedState, context.req.query());
    const paging = pagingOf(context.req);
    const found = await listQuestions(services.db, set.id, { ...paging, state: wanted });
    return context.json(pageOf(found, paging, shown));
  });

  app.post("/:id/questions", jsonBody(), async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const asked = askedOf(await bodyOf(context.req, questionForm));
    await keepQuestions(services, { set, asked: [asked], state: "confirmed" });
    return context.json({ kept: 1 }, 201);
  });

  app.patch("/:id/questions/:question", jsonBody(), async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const question = await findQuestion(services.db, set.id, context.req.param("question"));
    if (question === null) throw notFound();
    const patch = given(await bodyOf(context.req, questionPatch));
    const { state: wanted = question.state, ...fields } = patch;
    const asked = askedOf({ ...shown(question), ...fields });
    const change = { ...asked, state: wanted };
    return context.json(shown(await changeQuestion(services, { set, question, change })));
  });

  app.delete("/:id/questions/:question", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const removed = await deleteQuestion(services.db, set.id, context.req.param("question"));
    if (!removed) throw notFound();
    return context.body(null, 204);
  });
  addTransfers(app);
  return app;
}

const FORMATS = new Map([
  ["text/csv", "csv"],
  ["application/x-ndjson", "jsonl"],
  ["application/jsonl", "jsonl"],
] as const);

function addTransfers(app: Hono<PanelEnv>): void {
  app.post("/:id/import", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const [type = ""] = (context.req.header("Content-Type") ?? "").toLowerCase().split(";");
    const format = [...FORMATS].find(([name]) => name === type.trim())?.[1];
    if (format === undefined) {
      throw invalid("Content-Type must be text/csv or application/x-ndjson");
    }
    refuseCoded(context.req.raw.headers);
    const text = await readText(context.req.raw, IMPORT_MAX_BYTES);
    const asked = importedQuestions(text, format, set);
    await keepQuestions(services, { set, asked, state: "confirmed" });
    const absent = await absentOfSet(services, { set, asked });
    return context.json({ kept: asked.length, absent });
  });

  app.get("/:id/export", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const { format } = parseOrRefuse(exported, context.req.query());
    const questions = await confirmedQuestions(services.db, set.id);
    const isCsv = format === "csv";
    const body = isCsv ? questionsAsCsv(questions) : questionsAsJsonLines(questions);
    return context.body(body, 200, {
      "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/x-ndjson",
      "Content-Disposition": `attachment; filename="${set.identifier}.${format}"`,
    });
  });

  app.post("/:id/draft", jsonBody(), async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const wish = await bodyOf(context.req, newDrafts);
    const drafts = await draftQuestions(services, { set, ...wish });
    return context.json({ drafts: drafts.length });
  });
}
