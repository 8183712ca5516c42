import { invalidField, QuarryError, plainMessage } from "../../../core/errors.ts";
import { listQuestions, type Question } from "../../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { MAX_IMPORT_BYTES } from "../../../evaluation/limits.ts";
import { parseImport } from "../../../evaluation/questions/import-questions.ts";
import type { ImportFormat } from "../../../evaluation/questions/import-questions.ts";
import { questionCreation, questionImport } from "../../api/evaluation/questions.ts";
import { Data, DataLink } from "../../components/data.tsx";
import { countText } from "../../components/figures.ts";
import { field, FileField, Form, SelectField, TextArea } from "../../components/form.tsx";
import { freshForm, type FormState } from "../../components/form.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Table } from "../../components/table.tsx";
import { isAdmin, type PageContext, type Pages } from "../page.tsx";
import { multipartOf, type FormWithFiles } from "../request/form.ts";
import { sliceIn, Part } from "../request/list.tsx";
import { questionBody, expectedLines, pathsOf, QUESTION_FIELDS } from "./question-page.tsx";
import { QuestionFields } from "./question-page.tsx";
import { QUESTIONS_A_PAGE, setAddress, setOf, setTab } from "./set-parts.tsx";

/** In the address: the form of a question is open. */
const ADDING = "add";

type Forms = { added?: FormState; imported?: FormState };

export function questionListPages(pages: Pages): void {
  const ofSet = pages.forRecord(setOf);
  ofSet.get("/:set", (context, set) => {
    const { question = "", expected = "" } = context.req.query();
    const isAdding = context.req.query(ADDING) !== undefined || question !== "";
    const forms = isAdding ? { added: freshForm({ question, expected }) } : {};
    return questionsTab(context, set, forms);
  });

  ofSet.form("/:set/questions", questionCreation, (context, set) => ({
    fields: QUESTION_FIELDS,
    body: questionBody,
    failedPage: (added) => questionsTab(context, set, { added }),
    to: `${setAddress(set.identifier)}?${ADDING}#${ADDING}`,
    flashOf: ({ absent }) => ({ notice: "The question is saved.", ...problemOf(absent) }),
  }));

  ofSet.form("/:set/import", questionImport, async (context, set) => {
    const parts = await multipartOf(context, FORM_LIMIT_BYTES);
    return {
      subject: { set, contents: () => questionsIn(parts, set) },
      form: parts.form,
      fields: ["file", "format", "text"],
      failedPage: (imported) => questionsTab(context, set, { imported }),
      to: setAddress(set.identifier),
      flashOf: ({ kept, absent }) => ({
        notice: `${countText(kept, "question")} imported.`,
        ...problemOf(absent),
      }),
    };
  });
}

const NAMES_SHOWN = 3;
const NAME_LENGTH = 120;

/** Files that are expected and not there: somebody has to look. */
function problemOf(absent: string[]): { problem?: string } {
  if (absent.length === 0) return {};
  const names = absent.slice(0, NAMES_SHOWN).map((name) => name.slice(0, NAME_LENGTH));
  const more = absent.length > names.length ? ", and more" : "";
  return {
    problem: `Not in the index: ${names.join(", ")}${more}. Their questions count as not found.`,
  };
}

async function questionsTab(context: PageContext, set: QuestionSet, forms: Forms = {}) {
  const slice = sliceIn(context, QUESTIONS_A_PAGE);
  const { data, total } = await listQuestions(context.get("services").db, set.id, slice);
  const status = [forms.added, forms.imported].find((formStatus) => formStatus !== undefined);
  const address = setAddress(set.identifier);
  const exported = `/panel/api/question-sets/${set.identifier}/export`;
  return await setTab(
    context,
    { set, here: "", status: status?.status ?? 200 },
    <>
      <Table
        label="Questions"
        rows={data}
        empty={
          <Empty title="The set has no questions yet.">
            Add them below, or keep them while you search.
          </Empty>
        }
        columns={[
          {
            head: "Question",
            cell: ({ id, question }) => (
              <DataLink href={`${address}/questions/${id}`} text={question} />
            ),
          },
          { head: "Must be found", wide: true, cell: (question) => <Expected of={question} /> },
        ]}
      />
      {total === 0 ? null : (
        <>
          <Part here={address} {...slice} total={total} unit="question" />
          <p class="soft">
            Export as <a href={`${exported}?format=csv`}>CSV</a> or{" "}
            <a href={`${exported}?format=jsonl`}>JSON Lines</a>.
          </p>
        </>
      )}
      {isAdmin(context) ? (
        <Adding set={set} forms={forms} paths={await pathsOf(context, set)} />
      ) : null}
    </>,
  );
}

const Expected = ({ of: { expected, answerCheck } }: { of: Question }) => (
  <>
    <Data>{expectedLines(expected).join("\n")}</Data>
    {answerCheck === null ? null : <div class="faint">the answer: {answerCheck}</div>}
  </>
);

const Adding = ({ set, forms, paths }: { set: QuestionSet; forms: Forms; paths: string[] }) => {
  const address = setAddress(set.identifier);
  const added = forms.added ?? freshForm();
  const imported = forms.imported ?? freshForm({ format: "csv" });
  return (
    <>
      <h2>Add questions</h2>
      <details class="options" id={ADDING} open={forms.added !== undefined || set.questions === 0}>
        <summary>One question</summary>
        <Form action={`${address}/questions`} state={added} submit="Add the question">
          <QuestionFields state={added} set={set} paths={paths} />
        </Form>
      </details>
      <details class="options" open={forms.imported !== undefined}>
        <summary>Import CSV or JSON Lines</summary>
        <ImportForm action={`${address}/import`} state={imported} />
      </details>
    </>
  );
};

/** A file and a pasted text, each as large as an import may be, and what a form puts around. */
const FORM_LIMIT_BYTES = 2 * MAX_IMPORT_BYTES + 65_536;

const FORMAT_BY_ENDING = new Map<string, ImportFormat>([
  [".csv", "csv"],
  [".tsv", "csv"],
  [".jsonl", "jsonl"],
  [".ndjson", "jsonl"],
]);
const ACCEPTED = [...FORMAT_BY_ENDING.keys()].join();

/**
 * The questions of the file that was chosen, else of the text that was pasted.
 * @throws QuarryError `invalid` that says what is wrong with the file or which line; `too-large`.
 */
async function questionsIn({ form, files }: FormWithFiles, set: QuestionSet) {
  const format = form.text("format") === "jsonl" ? "jsonl" : "csv";
  const [upload] = files("file");
  if (upload === undefined) {
    if (form.text("text") === "") throw fileProblem("choose a file, or paste its content");
    return parseImport(form.exact("text"), format, set);
  }
  if (upload.size > MAX_IMPORT_BYTES) throw fileProblem("is larger than 1 MiB");
  const [ending = ""] = /\.\w+$/.exec(upload.name.toLowerCase()) ?? [];
  const text = await upload.text();
  try {
    return parseImport(text, FORMAT_BY_ENDING.get(ending) ?? format, set);
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || thrown.kind !== "invalid") throw thrown;
    throw fileProblem(plainMessage(thrown));
  }
}

const fileProblem = (problem: string) => invalidField("file", `: ${problem}`);

const ImportForm = ({ action, state }: { action: string; state: FormState }) => (
  <Form action={action} state={state} submit="Import" hasFiles>
    <FileField
      {...field(state, "file", "File")}
      accept={ACCEPTED}
      hint="At most 1 MiB. The first line of CSV names the columns: question, file, passage, check, answer, jsonSchema."
    />
    <TextArea state={state} name="text" label="or its content" rows={8} mono />
    <SelectField
      {...field(state, "format", "Format")}
      options={[
        { value: "csv", label: "CSV" },
        { value: "jsonl", label: "JSON Lines" },
      ]}
      hint="For a file, its name decides."
    />
  </Form>
);
