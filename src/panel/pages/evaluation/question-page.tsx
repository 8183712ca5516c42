import { MAX_CHOICES } from "../../../db/catalog/panel-lists.ts";
import type { Question } from "../../../db/evaluation/question-store.ts";
import { resultsOfQuestion } from "../../../db/evaluation/result-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { readFilePage } from "../../../db/files/source-file-pages.ts";
import { ragsOfSet } from "../../../evaluation/questions/absent-files.ts";
import { questionChange, questionOf, questionRemoval } from "../../api/evaluation/questions.ts";
import { DangerZone, Data, Time, ForAdmins } from "../../components/data.tsx";
import { Form, SelectField, TextArea, TextField, field } from "../../components/form.tsx";
import { freshForm, type FormState, type FormValues } from "../../components/form.tsx";
import { Table } from "../../components/table.tsx";
import { lookUp, page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { omitBlank } from "../request/form.ts";
import { filterIn } from "../request/list.tsx";
import { Place } from "./run-page.tsx";
import { runsAddress, setAddress, trailTo } from "./set-parts.tsx";

export function questionPages(pages: Pages): void {
  const ofOne = pages.forRecord(lookUp(questionOf));
  ofOne.get("/:set/questions/:question", (context, { set, question }) =>
    questionPage(context, set, question, freshForm(valuesOf(question))),
  );

  ofOne.form("/:set/questions/:question", questionChange, (context, subject) => ({
    fields: QUESTION_FIELDS,
    body: questionBody,
    changes: subject.question,
    failedPage: (state) => questionPage(context, subject.set, subject.question, state),
    to: setAddress(subject.set.identifier),
  }));

  ofOne.removal("/:set/questions/:question/remove", questionRemoval, (_context, subject) => ({
    title: "Remove the question",
    trail: trailTo(subject.set),
    name: subject.question.question,
    says: (
      <p>
        <Data>{subject.question.question}</Data> is left out of new runs. Earlier runs keep its
        results.
      </p>
    ),
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
  return await page(
    context,
    { title, status: state.status, trail: trailTo(set) },
    <>
      {mayChange ? (
        <Form
          action={address}
          state={state}
          submit="Save"
          cancel={setAddress(set.identifier)}
          shown={question.updatedAt}
        >
          <QuestionFields state={state} set={set} paths={await pathsOf(context, set)} />
        </Form>
      ) : (
        <p>
          <Data>{question.question}</Data>
        </p>
      )}
      {await latestResults(context, set, question)}
      <ForAdmins>
        <DangerZone href={`${address}/remove`} label="Remove the question …" />
      </ForAdmins>
    </>,
  );
}

async function latestResults(context: PageContext, set: QuestionSet, { id }: Question) {
  return (
    <>
      <h2>Latest results</h2>
      <Table
        label="Latest results"
        rows={await resultsOfQuestion(context.get("services").db, set.id, id)}
        empty={<p class="soft">No run has asked this question yet.</p>}
        columns={[
          {
            head: "Run",
            cell: ({ runId, startedAt }) => (
              <a href={`${runsAddress(set)}/${runId}`}>
                <Time at={startedAt} />
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

export const QUESTION_FIELDS = ["question", "expected", "further", "check", "answer", "jsonSchema"];

/** Between a file and a text of it, in a line of the form. */
const BETWEEN = " :: ";

export const expectedLines = (expected: Question["expected"]): string[] =>
  expected.map(({ file, passage }) => {
    return passage === null ? file : `${file}${BETWEEN}${passage.replaceAll("\n", " ")}`;
  });

function valuesOf({ expected, ...question }: Question): Record<string, string> {
  const [first = "", ...further] = expectedLines(expected);
  return {
    question: question.question,
    expected: first,
    further: further.join("\n"),
    check: question.answerCheck ?? "",
    answer: question.answer ?? "",
    jsonSchema: question.jsonSchema ?? "",
  };
}

/** The question of a form, as the API takes it. */
export const questionBody = (form: FormValues) => ({
  question: form.exact("question"),
  expected: [...form.lines("expected"), ...form.lines("further")].map((line) => {
    const at = line.indexOf(BETWEEN);
    return at === -1
      ? { file: line }
      : { file: line.slice(0, at), passage: line.slice(at + BETWEEN.length) };
  }),
  check: omitBlank(form.text("check")) ?? null,
  answer: omitBlank(form.exact("answer").trim()) ?? null,
  jsonSchema: omitBlank(form.text("jsonSchema")) ?? null,
});

const CHECKS = [
  { value: "", label: "not checked" },
  { value: "contains", label: "contains each line" },
  { value: "equals", label: "is the text" },
  { value: "json", label: "is the JSON value" },
  { value: "judged", label: "is judged by the rubric" },
];

/** The parameter of the page's address by which its script asks for other paths. */
const PATH_PART = "paths";

/** Paths that the form completes: the first of each source, or those that contain what is typed. */
export async function pathsOf(context: PageContext, set: QuestionSet) {
  const services = context.get("services");
  const rags = await ragsOfSet(services, set);
  const sources = [...new Set(rags.map(({ fileSource }) => fileSource.id))];
  const part = filterIn(context, PATH_PART) ?? "";
  const at = { after: null, before: null, limit: MAX_CHOICES };
  const pages = await Promise.all(
    sources.map((sourceId) => readFilePage(services.db, { sourceId, part, at, status: null })),
  );
  return pages.flatMap(({ data }) => data.map(({ path }) => path)).slice(0, MAX_CHOICES);
}

type FieldsProps = { state: FormState; set: Pick<QuestionSet, "subjectKind">; paths: string[] };

export const QuestionFields = ({ state, set, paths }: FieldsProps) => (
  <>
    <TextArea state={state} name="question" label="Question" rows={2} required />
    <TextField
      {...field(state, "expected", "File that must be found")}
      list="paths"
      data-look={PATH_PART}
      hint={
        <>
          Its path. After <code>{BETWEEN.trim()}</code> with spaces around it, add a sentence that
          the passage must contain.
        </>
      }
    />
    <div id="known-paths" data-live>
      <datalist id="paths">
        {paths.map((path) => (
          <option value={path}></option>
        ))}
      </datalist>
    </div>
    <TextArea
      {...field(state, "further", "Further files")}
      rows={2}
      hint="One a line, in the same form."
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
