import { Hono } from "hono";

import { setsOfRag, type QuestionSet } from "../../../db/evaluation/set-store.ts";
import { findRag } from "../../../catalog/rags/find-rag.ts";
import type { RagRecord } from "../../../db/records.ts";
import { keepQuestions } from "../../../evaluation/questions/keep-questions.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { Choices, Form, SelectField, TextArea } from "../../components/form.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { forbidden, invalid } from "../../../core/errors.ts";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formFrom, formOf, type Form as Sent, type FormState } from "../request/form.ts";
import { freshForm } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { askedOf, questionForm } from "../../../evaluation/questions/question-form.ts";
import { KEEP, OFFERED_MAX } from "./keep-question.tsx";
import { NEW_SET, PLACE, setAddress } from "./set-parts.tsx";

const FIELDS = ["set", "question", "file", "passage", "rag"];
/** "Keep this question": into which set, and what must be found. */
export function keepPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (context) => {
    if (!isAdmin(context)) throw forbidden();
    const form = formFrom(new URL(context.req.url).searchParams);
    const rag = await findRag(context.get("services"), { key: form.text("rag") });
    return await keepPage(context, {
      rag,
      form,
      state: freshForm({ question: form.exact("question") }),
    });
  });

  app.post("/", async (context) => {
    auditAs(context, "question-sets.questions.create");
    const services = context.get("services");
    const form = await formOf(context);
    const rag = await findRag(services, { key: form.text("rag") });
    const kept = await attempt(form, FIELDS, async () => {
      const set = await findQuestionSet(services, form.text("set"));
      const passage = form.text("passage") === "" ? null : form.text("passage");
      const asked = parseKnownOrRefuse(questionForm, {
        question: form.exact("question"),
        expected: form.all("file").map((file) => ({ file, passage })),
      });
      if ((asked.expected ?? []).length === 0) {
        throw invalid(NO_FILE, [{ field: "file", problem: NO_FILE }]);
      }
      await keepQuestions(services, { set, asked: [askedOf(asked)] });
      return set;
    });
    if (!kept.done) return await keepPage(context, { rag, form, state: kept.state });
    auditAs(context, "question-sets.questions.create", kept.result.identifier);
    const notice = "The question is kept.";
    return redirectWithNotice(context, setAddress(kept.result.identifier), { notice });
  });
  return app;
}

const NO_FILE = "Check a file that the search must find.";

type KeepProps = { rag: RagRecord; form: Sent; state: FormState };

async function keepPage(context: PageContext, { rag, form, state }: KeepProps): Promise<Response> {
  const sets: QuestionSet[] = await setsOfRag(context.get("services").db, rag.id);
  const offered = form.all("offer").slice(0, OFFERED_MAX);
  const content = (
    <>
      <PageHead title="Keep this question" trail={[PLACE]} />
      {sets.length === 0 ? (
        <Empty title="No question set asks this RAG yet.">
          <p>
            <a
              class="btn primary"
              href={`${NEW_SET}?subject=${encodeURIComponent(`rag ${rag.identifier}`)}`}
            >
              New question set
            </a>
          </p>
        </Empty>
      ) : (
        <Form action={KEEP} state={state} submit="Keep the question">
          <input type="hidden" name="rag" value={rag.identifier} />
          {offered.map((file) => (
            <input type="hidden" name="offer" value={file} />
          ))}
          <SelectField
            state={state}
            name="set"
            label="Question set"
            options={sets.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          />
          <TextArea state={state} name="question" label="Question" rows={2} required />
          <Choices
            state={state}
            name="file"
            label="Must be found"
            options={offered.map((file) => ({ value: file, label: file }))}
            hint={
              offered.length > 0
                ? undefined
                : "The search found no file. In the question set itself any file can be named."
            }
          />
          <TextArea
            state={state}
            name="passage"
            label="A sentence that the passage must contain"
            rows={2}
            hint="Leave empty to accept any passage of the file."
          />
        </Form>
      )}
    </>
  );
  const of = { title: "Keep this question", place: "evaluation" as const, status: state.status };
  return await page(context, of, content);
}
