import { z } from "@hono/zod-openapi";

import { invalid, notFound, requireFound } from "../../../core/errors.ts";
import { asId } from "../../../core/ids.ts";
import { omitUndefined } from "../../../core/input/omit-undefined.ts";
import {
  allQuestions,
  deleteQuestion,
  findQuestion,
  listQuestions,
  type Question,
  type QuestionContent,
} from "../../../db/evaluation/question-store.ts";
import { type QuestionSet, deleteSet, listSets } from "../../../db/evaluation/set-store.ts";
import { expectedShape, ANSWER_CHECKS } from "../../../db/schema/evaluation.ts";
import { MAX_IMPORT_BYTES } from "../../../evaluation/limits.ts";
import { absentFilesOf } from "../../../evaluation/questions/absent-files.ts";
import { questionsAsCsv } from "../../../evaluation/questions/export-questions.ts";
import { questionsAsJsonLines } from "../../../evaluation/questions/export-questions.ts";
import { parseImport } from "../../../evaluation/questions/import-questions.ts";
import { changeQuestion, keepQuestions } from "../../../evaluation/questions/keep-questions.ts";
import { contentOfForm, questionFields } from "../../../evaluation/questions/question-form.ts";
import { questionForm } from "../../../evaluation/questions/question-form.ts";
import {
  findQuestionSet,
  changeQuestionSet,
  createQuestionSet,
  newQuestionSet,
  questionSetPatch,
} from "../../../evaluation/questions/question-sets.ts";
import { readText, refuseContentCoding } from "../../../http/middleware/json-body.ts";
import type { Services } from "../../../services.ts";
import { action, perform, type ActionCall } from "../../action.ts";
import { fieldsOfKind, Endpoints, pageOf, time, schema } from "../request/endpoint.ts";
import type { Find, Address } from "../request/route.ts";

const exported = z.object({ format: z.enum(["csv", "jsonl"]).default("jsonl") });

const questionPatch = z.object(questionFields).partial();

/** The question's part in lists of questions and of results. */
export const shownAsked = {
  question: z.string(),
  expected: z.array(expectedShape),
  check: z.enum(ANSWER_CHECKS).nullable(),
  answer: z.string().nullable(),
};
const Shown = schema("Question", {
  id: z.string(),
  ...shownAsked,
  jsonSchema: z.string().nullable(),
  createdAt: time,
});
const answerOf = (question: Question) => ({ ...question, check: question.answerCheck });
const countOfKept = schema("KeptQuestions", { kept: z.int() });

const SET = "/question-sets/{id}";
export const questionSetOf = (services: Services, { key }: Pick<Address, "key">) =>
  findQuestionSet(services, key);

/** `{question}` of a set. */
export const questionOf: Find<{ set: QuestionSet; question: Question }> = async (
  services,
  address,
) => {
  const set = await questionSetOf(services, address);
  const question = await findQuestion(services.db, set.id, address.param("question"));
  return { set, question: requireFound(question) };
};

const questionTarget = ({ set, question }: { set: QuestionSet; question: Question }) =>
  `${set.identifier}/${question.id}`;

export const questionCreation = action({
  name: "question-sets.questions.create",
  route: `post ${SET}/questions`,
  about: "Add a question. Replaces an equal question of the set.",
  find: questionSetOf,
  body: questionForm,
  errors: [409, 422],
  work: ({ services, subject: set, body }) => storeQuestions(services, set, [contentOfForm(body)]),
  answer: countOfKept,
});

export const questionChange = action({
  name: "question-sets.questions.change",
  route: `patch ${SET}/questions/{question}`,
  about: "Change a question. In part or in whole.",
  find: questionOf,
  body: questionPatch,
  errors: [409, 422],
  work: ({ services, subject: { set, question }, body }) => {
    const change = contentOfForm({ ...answerOf(question), ...omitUndefined(body) });
    return changeQuestion(services, { set, question, change });
  },
  target: questionTarget,
  previousValues: ({ question }) => answerOf(question),
  answer: Shown,
  answerOf: answerOf,
  notice: "The question is saved.",
});

export const questionRemoval = action({
  name: "question-sets.questions.remove",
  route: `delete ${SET}/questions/{question}`,
  about: "Remove a question. Runs that asked it keep their results.",
  find: questionOf,
  work: async ({ services, subject: { set, question } }) => {
    if (!(await deleteQuestion(services.db, set.id, question.id))) throw notFound();
  },
  target: questionTarget,
  previousValues: ({ question: { question } }) => ({ question }),
  notice: "The question is removed.",
});

type SetImport = { set: QuestionSet; contents: () => Promise<QuestionContent[]> };

/** Keeps the questions of a file. `absent`: files that they expect and that are not there. */
export const questionImport = action({
  name: "question-sets.import",
  about:
    "Import questions. CSV or JSON Lines. One wrong line refuses the import; the error names its number.",
  work: async ({ services, subject: { set, contents } }: ActionCall<SetImport, z.ZodUndefined>) =>
    await storeQuestions(services, set, await contents()),
  target: ({ set }) => set.identifier,
});

async function storeQuestions(services: Services, set: QuestionSet, contents: QuestionContent[]) {
  await keepQuestions(services, { set, asked: contents });
  return {
    kept: contents.length,
    absent: await absentFilesOf(services, { set, asked: contents }),
  };
}

const FORMATS = new Map([
  ["text/csv", "csv"],
  ["application/x-ndjson", "jsonl"],
  ["application/jsonl", "jsonl"],
] as const);

export const questionRoutes = new Endpoints("evaluation", questionSetOf)
  .list(
    `get ${SET}/questions`,
    "Questions. With what must be found or answered.",
    { item: Shown },
    async ({ services, subject: set, paging }) =>
      pageOf(await listQuestions(services.db, set.id, paging), answerOf),
  )
  .action(questionCreation)
  .action(questionChange)
  .action(questionRemoval)
  .json(
    "post /question-sets/{id}/import",
    questionImport.about,
    {
      name: questionImport.name,
      bytes: [...FORMATS.keys()],
      answer: schema("ImportedQuestions", { kept: z.int(), absent: z.array(z.string()) }),
      errors: [409, 422],
    },
    async ({ context, subject: set }) => {
      const { raw } = context.req;
      const [type = ""] = (raw.headers.get("Content-Type") ?? "").toLowerCase().split(";");
      const format = [...FORMATS].find(([name]) => name === type.trim())?.[1];
      if (format === undefined) {
        throw invalid("Content-Type must be text/csv or application/x-ndjson");
      }
      refuseContentCoding(raw.headers);
      const contents = async () => parseImport(await readText(raw, MAX_IMPORT_BYTES), format, set);
      const subject = { set, contents };
      return await perform(context, questionImport, { subject, input: undefined, status: 200 });
    },
  )
  .raw(
    `get ${SET}/export`,
    "Export questions. In the form that an import takes.",
    { query: exported },
    { 200: { mediaTypes: ["application/x-ndjson", "text/csv"] } },
    async ({ context, services, subject: set, query: { format } }) => {
      const questions = await allQuestions(services.db, set.id);
      const isCsv = format === "csv";
      const body = isCsv ? questionsAsCsv(questions) : questionsAsJsonLines(questions);
      return context.body(body, 200, {
        "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "Content-Disposition": `attachment; filename="${set.identifier}.${format}"`,
      });
    },
  ).app;

const answerOfSet = (set: QuestionSet) => ({
  ...set,
  rag: set.subjectKind === "rag" ? set.subjectIdentifier : null,
  inference: set.subjectKind === "inference" ? set.subjectIdentifier : null,
});
const ShownSet = schema("QuestionSet", {
  ...fieldsOfKind(z.string(), "id", "name", "identifier"),
  ...fieldsOfKind(z.string().nullable(), "rag", "inference", "judgeModel"),
  questions: z.int(),
  createdAt: time,
});

const oneSubject = {
  if: { properties: { rag: {} }, required: ["rag"] },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
  then: { properties: { inference: { not: {} } } },
  else: { properties: { inference: {} }, required: ["inference"] },
};

export const setCreation = action({
  name: "question-sets.create",
  about: "Add a question set. `rag` or `inference` answers the questions.",
  body: newQuestionSet.meta(oneSubject),
  errors: [404, 409, 422],
  work: ({ services, body, id }) => createQuestionSet(services, body, asId(id)),
  answer: ShownSet,
  answerOf: answerOfSet,
  notice: "The set is created. Add questions to it.",
});

export const setChange = action({
  name: "question-sets.change",
  about: "Change a question set. Its name, or the model that judges answers.",
  find: questionSetOf,
  body: questionSetPatch,
  errors: [422],
  work: ({ services, subject: set, body }) => changeQuestionSet(services, set, omitUndefined(body)),
  previousValues: (set) => set,
  answer: ShownSet,
  answerOf: answerOfSet,
  notice: "Saved.",
});

export const setRemoval = action({
  name: "question-sets.remove",
  about: "Remove a question set. Its questions and runs go with it.",
  find: questionSetOf,
  work: ({ services, subject: set }) => deleteSet(services.db, set.id),
  notice: "The question set is removed.",
});

export const questionSetRoutes = new Endpoints("evaluation", questionSetOf)
  .list(
    "get /question-sets",
    "Question sets. Each set belongs to one RAG or one inference.",
    { item: ShownSet },
    async ({ services, paging }) => pageOf(await listSets(services.db, paging), answerOfSet),
  )
  .action(setCreation)
  .json(
    `get ${SET}`,
    "A question set. With the number of its questions.",
    { answer: ShownSet },
    async ({ subject: set }) => answerOfSet(set),
  )
  .action(setChange)
  .action(setRemoval).app;
