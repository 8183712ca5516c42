import { invalidField, QuarryError } from "../../../core/errors.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import type { QuestionContent } from "../../../db/evaluation/question-store.ts";
import { IMPORT_MAX_BYTES } from "../../../evaluation/limits.ts";
import {
  importedQuestions,
  type ImportFormat,
} from "../../../evaluation/questions/import-questions.ts";
import { FileField, Form, SelectField, TextArea } from "../../components/form.tsx";
import type { PageContext } from "../page-env.ts";
import type { FormState } from "../request/form.ts";
import { multipartOf, type FormWithFiles } from "../request/multipart.ts";

export const IMPORT_FIELDS = ["file", "format", "text"];

/** A file and a pasted text, each as large as an import may be, and what a form puts around. */
const FORM_LIMIT_BYTES = 2 * IMPORT_MAX_BYTES + 65_536;

export const importFormOf = async (context: PageContext) =>
  await multipartOf(context, FORM_LIMIT_BYTES);

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
export async function questionsIn(
  { form, files }: FormWithFiles,
  set: QuestionSet,
): Promise<QuestionContent[]> {
  const format = form.text("format") === "jsonl" ? "jsonl" : "csv";
  const [chosen] = files("file");
  if (chosen === undefined) {
    if (form.text("text") === "") throw fileProblem("choose a file, or paste its content");
    return importedQuestions(form.exact("text"), format, set);
  }
  if (chosen.size > IMPORT_MAX_BYTES) throw fileProblem("is larger than 1 MiB");
  const [ending = ""] = /\.\w+$/.exec(chosen.name.toLowerCase()) ?? [];
  const text = await chosen.text();
  try {
    return importedQuestions(text, FORMAT_BY_ENDING.get(ending) ?? format, set);
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || thrown.kind !== "invalid") throw thrown;
    throw fileProblem(thrown.message.replace(/^Invalid request: /, ""));
  }
}

const fileProblem = (problem: string) => invalidField("file", `: ${problem}`);

export const ImportForm = ({ action, state }: { action: string; state: FormState }) => (
  <Form action={action} state={state} submit="Import" hasFiles>
    <FileField
      state={state}
      name="file"
      label="File"
      accept={ACCEPTED}
      hint="At most 1 MiB. The first line of CSV names the columns: question, file, passage, check, answer, jsonSchema."
    />
    <TextArea state={state} name="text" label="or its content" rows={8} mono />
    <SelectField
      state={state}
      name="format"
      label="Format"
      options={[
        { value: "csv", label: "CSV" },
        { value: "jsonl", label: "JSON Lines" },
      ]}
      hint="For a file, its ending decides."
    />
  </Form>
);
