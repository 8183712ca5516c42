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
import { Data } from "../../components/data.tsx";
import { Form } from "../../components/form.tsx";
import { LinkButton } from "../../components/link.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { removable } from "../request/removal.tsx";
import { askedIn, QuestionFields, QUESTION_FIELDS, valuesOf } from "./question-fields.tsx";
import { setAddress, trailTo } from "./set-parts.tsx";
import { refuseStale, shownState } from "../request/stale.ts";

/** One question by itself: changed, removed. */
export function questionPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const find = async (context: PageContext) => {
    const { set: key = "", question: id = "" } = context.req.param();
    const set = await findQuestionSet(context.get("services"), key);
    const question = await findQuestion(context.get("services").db, set.id, id);
    if (question === null) throw notFound();
    return { set, question };
  };
  app.get("/:set/questions/:question", async (context) => {
    const { set, question } = await find(context);
    return await questionPage(context, set, question, freshForm(valuesOf(question)));
  });

  app.post("/:set/questions/:question", async (context) => {
    const { set, question } = await find(context);
    return await submit(context, {
      audit: ["question-sets.questions.change", `${set.identifier}/${question.id}`],
      fields: QUESTION_FIELDS,
      work: async (form) => {
        await refuseStale(context, form, ["questions", question.id]);
        const change = askedIn(form);
        await changeQuestion(context.get("services"), { set, question, change });
      },
      again: (state) => questionPage(context, set, question, state),
      leads: () => ({ to: setAddress(set.identifier), notice: "The question is kept." }),
    });
  });

  removable(app, "/:set/questions/:question/remove", async (context) => {
    const { set, question } = await find(context);
    return {
      title: "Remove the question",
      place: "evaluation",
      trail: trailTo(set),
      name: question.question,
      says: (
        <p>
          <Data>{question.question}</Data> is asked by no further run. Runs that have asked it keep
          what came of it.
        </p>
      ),
      audit: ["question-sets.questions.remove", `${set.identifier}/${question.id}`],
      remove: () => deleteQuestion(context.get("services").db, set.id, question.id),
      to: setAddress(set.identifier),
      notice: "The question is removed.",
    };
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
  const mayChange = isAdmin(context);
  const title = mayChange ? "Change a question" : "Question";
  const address = `${setAddress(set.identifier)}/questions/${question.id}`;
  const cancel = setAddress(set.identifier);
  return await page(
    context,
    { title, place: "evaluation", status: state.status, trail: trailTo(set) },
    mayChange ? (
      <>
        <Form action={address} state={state} submit="Save" cancel={cancel} shown={seen}>
          <QuestionFields state={state} set={set} />
        </Form>
        <section class="danger-zone">
          <LinkButton href={`${address}/remove`} label="Remove the question …" kind="danger" />
        </section>
      </>
    ) : (
      <p>
        <Data>{question.question}</Data>
      </p>
    ),
  );
}
