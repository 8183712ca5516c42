import { orNotFound } from "../../../core/errors.ts";
import {
  deleteQuestion,
  findQuestion,
  type Question,
} from "../../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { changeQuestion } from "../../../evaluation/questions/keep-questions.ts";
import { resultsOfQuestion } from "../../../db/evaluation/result-store.ts";
import { DangerZone, Data, Time } from "../../components/data.tsx";
import { Form, SelectField, TextArea, field } from "../../components/form.tsx";
import { Table } from "../../components/table.tsx";
import { page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { freshForm, type FormState, typed, type Form as Sent } from "../request/form.ts";
import { Place } from "./run-page.tsx";
import { runsAddress, setAddress, setOf, trailTo } from "./set-parts.tsx";
import { askedOf, questionForm } from "../../../evaluation/questions/question-form.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";

export function questionPages(pages: Pages): void {
  const ofOne = pages.of(async (context) => {
    const set = await setOf(context);
    const id = context.req.param("question") ?? "";
    const question = await findQuestion(context.get("services").db, set.id, id);
    return { set, question: orNotFound(question) };
  });
  ofOne.get("/:set/questions/:question", (context, { set, question }) =>
    questionPage(context, set, question, freshForm(valuesOf(question))),
  );

  ofOne.submit("/:set/questions/:question", (context, { set, question }) => ({
    audit: ["question-sets.questions.change", `${set.identifier}/${question.id}`],
    fields: QUESTION_FIELDS,
    changes: question,
    work: (services, form) => changeQuestion(services, { set, question, change: askedIn(form) }),
    again: (state) => questionPage(context, set, question, state),
    leads: () => ({ to: setAddress(set.identifier), notice: "The question is saved." }),
  }));

  ofOne.removal("/:set/questions/:question/remove", (_context, { set, question }) => ({
    title: "Remove the question",
    trail: trailTo(set),
    name: question.question,
    says: (
      <p>
        <Data>{question.question}</Data> is left out of new runs. Earlier runs keep its results.
      </p>
    ),
    audit: ["question-sets.questions.remove", `${set.identifier}/${question.id}`],
    remove: ({ db }) => deleteQuestion(db, set.id, question.id),
    notice: "The question is removed.",
  }));
}

async function questionPage(
  context: PageContext,
  set: QuestionSet,
  question: Question,
  state: FormState,
): Promise<Response> {
  const mayChange = isAdmin(context);
  const title = mayChange ? "Edit question" : "Question";
  const address = `${setAddress(set.identifier)}/questions/${question.id}`;
  const cancel = setAddress(set.identifier);
  return await page(
    context,
    { title, status: state.status, trail: trailTo(set) },
    <>
      {mayChange ? (
        <Form
          action={address}
          state={state}
          submit="Save"
          cancel={cancel}
          shown={question.updatedAt}
        >
          <QuestionFields state={state} set={set} />
        </Form>
      ) : (
        <p>
          <Data>{question.question}</Data>
        </p>
      )}
      {await latestResults(context, set, question)}
      {mayChange ? <DangerZone href={`${address}/remove`} label="Remove the question …" /> : null}
    </>,
  );
}

async function latestResults(context: PageContext, set: QuestionSet, { id }: Question) {
  const { db, now } = context.get("services");
  return (
    <>
      <h2>Latest results</h2>
      <Table
        label="Latest results"
        rows={await resultsOfQuestion(db, set.id, id)}
        empty={<p class="soft">No run has asked this question yet.</p>}
        columns={[
          {
            head: "Run",
            cell: ({ runId, startedAt }) => (
              <a href={`${runsAddress(set)}/${runId}`}>
                <Time at={startedAt} now={now()} />
              </a>
            ),
          },
          {
            head: "Expected",
            cell: ({ ranks }) =>
              ranks.map((rank) => (
                <div>
                  <Place rank={rank} />
                </div>
              )),
          },
          {
            head: "Answer",
            cell: ({ isRight, error }) =>
              error ?? (isRight === null ? "–" : isRight ? "right" : "wrong"),
          },
        ]}
      />
    </>
  );
}

export const QUESTION_FIELDS = ["question", "expected", "check", "answer", "jsonSchema"];

/** Between a file and a text of it, in a line of the form. */
const BETWEEN = " :: ";

export const expectedLines = (expected: Question["expected"]): string =>
  expected
    .map(({ file, passage }) => {
      return passage === null ? file : `${file}${BETWEEN}${passage.replaceAll("\n", " ")}`;
    })
    .join("\n");

const valuesOf = (question: Question): Record<string, string> => ({
  question: question.question,
  expected: expectedLines(question.expected),
  check: question.answerCheck ?? "",
  answer: question.answer ?? "",
  jsonSchema: question.jsonSchema ?? "",
});

/** @throws QuarryError `invalid` */
export function askedIn(form: Sent) {
  const parsed = parseKnownOrRefuse(questionForm, {
    question: form.exact("question"),
    expected: form.lines("expected").map((line) => {
      const at = line.indexOf(BETWEEN);
      return at === -1
        ? { file: line }
        : { file: line.slice(0, at), passage: line.slice(at + BETWEEN.length) };
    }),
    check: typed(form.text("check")) ?? null,
    answer: typed(form.exact("answer").trim()) ?? null,
    jsonSchema: typed(form.text("jsonSchema")) ?? null,
  });
  return askedOf(parsed);
}

const CHECKS = [
  { value: "", label: "not checked" },
  { value: "contains", label: "contains each line" },
  { value: "equals", label: "is the text" },
  { value: "json", label: "is the JSON value" },
  { value: "judged", label: "is judged by the rubric" },
];

type FieldsProps = { state: FormState; set: Pick<QuestionSet, "subjectKind"> };

export const QuestionFields = ({ state, set }: FieldsProps) => (
  <>
    <TextArea state={state} name="question" label="Question" rows={2} required />
    <TextArea
      {...field(state, "expected", "What must be found")}
      rows={3}
      hint={
        <>
          One file path a line. After <code>{BETWEEN.trim()}</code> with spaces around it, add a
          sentence that the passage must contain.
        </>
      }
    />
    {set.subjectKind === "rag" ? null : (
      <>
        <SelectField state={state} name="check" label="The answer" options={CHECKS} />
        <TextArea
          {...field(state, "answer", "Expected answer")}
          rows={3}
          hint="The text, the JSON value, or the rubric."
        />
        <TextArea state={state} name="jsonSchema" label="JSON Schema of the answer" rows={2} mono />
      </>
    )}
  </>
);
