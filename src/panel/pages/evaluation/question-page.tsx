import { Hono } from "hono";

import { notFound } from "../../../core/errors.ts";
import {
  deleteQuestion,
  findQuestion,
  type Question,
} from "../../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { changeQuestion } from "../../../evaluation/questions/keep-questions.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { Form } from "../../components/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, type FormState } from "../request/form.ts";
import { adminsOnly, isAdmin } from "../request/guards.ts";
import { askedIn, QuestionFields, QUESTION_FIELDS, valuesOf } from "./question-fields.tsx";
import { setAddress, trailTo } from "./set-parts.tsx";
import { refuseStale, shownState } from "../request/stale.ts";

/** One question by itself: changed, removed. */
export function questionPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const find = async (context: PageContext, names: { set: string; question: string }) => {
    const set = await findQuestionSet(context.get("services"), names.set);
    const question = await findQuestion(context.get("services").db, set.id, names.question);
    if (question === null) throw notFound();
    return { set, question };
  };
  app.get("/:set/questions/:question", async (context) => {
    const { set, question } = await find(context, context.req.param());
    return await questionPage(context, set, question, freshForm(valuesOf(question)));
  });

  app.post("/:set/questions/:question", async (context) => {
    const { set, question } = await find(context, context.req.param());
    auditAs(context, "question-sets.questions.change", `${set.identifier}/${question.id}`);
    const form = await formOf(context);
    const changed = await attempt(form, QUESTION_FIELDS, async () => {
      await refuseStale(context, form, ["questions", question.id]);
      const change = askedIn(form);
      await changeQuestion(context.get("services"), { set, question, change });
    });
    if (!changed.done) return await questionPage(context, set, question, changed.state);
    return redirectWithNotice(context, setAddress(set.identifier), {
      notice: "The question is kept.",
    });
  });

  app.get("/:set/questions/:question/remove", adminsOnly, async (context) => {
    const { set, question } = await find(context, context.req.param());
    return await removalPage(context, set, question);
  });

  app.post("/:set/questions/:question/remove", async (context) => {
    const { set, question } = await find(context, context.req.param());
    auditAs(context, "question-sets.questions.remove", `${set.identifier}/${question.id}`);
    await deleteQuestion(context.get("services").db, set.id, question.id);
    return redirectWithNotice(context, setAddress(set.identifier), {
      notice: "The question is removed.",
    });
  });
  return app;
}

async function questionPage(
  context: PageContext,
  set: QuestionSet,
  question: Question,
  state: FormState,
): Promise<Response> {
  const seen = await shownState(context, "questions", question.id);
  const title = "Change a question";
  const address = `${setAddress(set.identifier)}/questions/${question.id}`;
  const content = (
    <>
      <PageHead title={isAdmin(context) ? title : "Question"} trail={trailTo(set)} />
      {isAdmin(context) ? (
        <>
          <Form
            action={address}
            state={state}
            submit="Save"
            cancel={setAddress(set.identifier)}
            shown={seen}
          >
            <QuestionFields state={state} set={set} />
          </Form>
          <section class="danger-zone">
            <a class="btn danger" href={`${address}/remove`}>
              Remove the question …
            </a>
          </section>
        </>
      ) : (
        <p>
          <Data>{question.question}</Data>
        </p>
      )}
    </>
  );
  return await page(context, { title, place: "evaluation", status: state.status }, content);
}

async function removalPage(
  context: PageContext,
  set: QuestionSet,
  question: Question,
): Promise<Response> {
  const address = `${setAddress(set.identifier)}/questions/${question.id}`;
  const title = "Remove the question";
  const content = (
    <>
      <PageHead title={title} trail={trailTo(set)} />
      <ConfirmRemoval
        action={`${address}/remove`}
        state={freshForm()}
        name={question.question}
        isMuch={false}
        cancel={address}
        submit="Remove it"
      >
        <p>
          <Data>{question.question}</Data> is asked by no further run. Runs that have asked it keep
          what came of it.
        </p>
      </ConfirmRemoval>
    </>
  );
  return await page(context, { title, place: "evaluation" }, content);
}
