import { Hono } from "hono";

import { listQuestions } from "../../../db/evaluation/question-store.ts";
import type { Question, QuestionContent } from "../../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { absentOfSet } from "../../../evaluation/questions/absent-files.ts";
import { keepQuestions } from "../../../evaluation/questions/keep-questions.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { Data } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { Form } from "../../components/form.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { DataLink } from "../../components/link.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { IMPORT_FIELDS, ImportForm, importFormOf, questionsIn } from "./import-form.tsx";
import { NumberedPages, pageNumberOf, QUESTIONS_A_PAGE } from "./numbered-pages.tsx";
import { askedIn, expectedLines, QuestionFields, QUESTION_FIELDS } from "./question-fields.tsx";
import { setAddress, SetHead } from "./set-parts.tsx";

type Forms = { added?: FormState; imported?: FormState };

const setOf = async (context: PageContext) =>
  await findQuestionSet(context.get("services"), context.req.param("set") ?? "");

/** The questions of a set: added, imported, each with its page. */
export function questionListPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/:set", async (context) => {
    const { question, expected = "" } = context.req.query();
    const forms = question === undefined ? {} : { added: freshForm({ question, expected }) };
    return await questionsTab(context, await setOf(context), forms);
  });

  app.post("/:set/questions", async (context) => {
    const set = await setOf(context);
    return await submit(context, {
      audit: ["question-sets.questions.create", set.identifier],
      fields: QUESTION_FIELDS,
      work: async (form) => await keep(context, set, [askedIn(form)]),
      again: (added) => questionsTab(context, set, { added }),
      leads: (kept) => ({ ...kept, notice: "The question is kept." }),
    });
  });

  app.post("/:set/import", async (context) => {
    const set = await setOf(context);
    const sent = await importFormOf(context);
    return await submit(context, {
      audit: ["question-sets.import", set.identifier],
      form: sent.form,
      fields: IMPORT_FIELDS,
      work: async () => await keep(context, set, await questionsIn(sent, set)),
      again: (imported) => questionsTab(context, set, { imported }),
      leads: (kept) => kept,
    });
  });
  return app;
}

/** Where keeping these questions leads, and the notice there. */
async function keep(context: PageContext, set: QuestionSet, asked: QuestionContent[]) {
  const services = context.get("services");
  await keepQuestions(services, { set, asked });
  const absent = await absentOfSet(services, { set, asked });
  const notice = `${counted(asked.length, "question")} imported.`;
  return { to: setAddress(set.identifier), notice, ...problemOf(absent) };
}

const NAMES_SHOWN = 3;
const NAME_LENGTH = 120;

/** What somebody has to look at: files that are expected and not there. */
function problemOf(absent: string[]): { problem?: string } {
  if (absent.length === 0) return {};
  const names = absent.slice(0, NAMES_SHOWN).map((name) => name.slice(0, NAME_LENGTH));
  const more = absent.length > names.length ? ", and more" : "";
  return {
    problem: `Not among the files that are searched: ${names.join(", ")}${more}. Until they are, their questions count as not found.`,
  };
}

async function questionsTab(
  context: PageContext,
  set: QuestionSet,
  forms: Forms = {},
): Promise<Response> {
  const number = pageNumberOf(context);
  const offset = (number - 1) * QUESTIONS_A_PAGE;
  const { db } = context.get("services");
  const slice = { offset, limit: QUESTIONS_A_PAGE };
  const { data, total } = await listQuestions(db, set.id, slice);
  const status = [forms.added, forms.imported].find((one) => one !== undefined);
  const content = (
    <>
      <SetHead set={set} here="" />
      <Table
        label="Questions"
        rows={data}
        empty={
          <Empty title="The set has no questions yet.">
            <p>Add them below, or keep them from the search page as you come across them.</p>
          </Empty>
        }
        columns={[
          { head: "Question", cell: (question) => <QuestionLine set={set} question={question} /> },
          { head: "Must be found", wide: true, cell: (question) => <Expected of={question} /> },
        ]}
      />
      <NumberedPages here={setAddress(set.identifier)} number={number} total={total} />
      {total === 0 ? null : <Exports set={set} />}
      {isAdmin(context) ? <Adding set={set} forms={forms} /> : null}
    </>
  );
  const of = { title: set.name, place: "evaluation" as const, status: status?.status ?? 200 };
  return await page(context, of, content);
}

const QuestionLine = ({ set, question }: { set: QuestionSet; question: Question }) => (
  <DataLink
    href={`${setAddress(set.identifier)}/questions/${question.id}`}
    text={question.question}
  />
);

const Expected = ({ of: { expected, answerCheck } }: { of: Question }) => (
  <>
    <Data>{expectedLines(expected)}</Data>
    {answerCheck === null ? null : <div class="faint">the answer: {answerCheck}</div>}
  </>
);

const Exports = ({ set }: { set: QuestionSet }) => {
  const address = `/panel/api/question-sets/${encodeURIComponent(set.identifier)}/export`;
  return (
    <p class="soft">
      Export as <a href={`${address}?format=csv`}>CSV</a> or{" "}
      <a href={`${address}?format=jsonl`}>JSON Lines</a>.
    </p>
  );
};

const Adding = ({ set, forms }: { set: QuestionSet; forms: Forms }) => {
  const address = setAddress(set.identifier);
  const added = forms.added ?? freshForm();
  const imported = forms.imported ?? freshForm({ format: "csv" });
  return (
    <>
      <h2>Add questions</h2>
      <details class="options" open={forms.added !== undefined || set.questions === 0}>
        <summary>One question</summary>
        <Form action={`${address}/questions`} state={added} submit="Add the question">
          <QuestionFields state={added} set={set} />
        </Form>
      </details>
      <details class="options" open={forms.imported !== undefined}>
        <summary>Import CSV or JSON Lines</summary>
        <ImportForm action={`${address}/import`} state={imported} />
      </details>
    </>
  );
};
