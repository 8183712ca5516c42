import { Hono } from "hono";

import { deleteSet, type QuestionSet } from "../../../db/evaluation/set-store.ts";
import {
  changeQuestionSet,
  findQuestionSet,
  questionSetPatch,
} from "../../../evaluation/questions/question-sets.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { given } from "../../../core/given.ts";
import { counted } from "../../components/figures.ts";
import { Data } from "../../components/data.tsx";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Form, TextField } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, typed, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { refuseStale, shownState } from "../request/stale.ts";
import { invalid } from "../../../core/errors.ts";
import { PLACE, setAddress, SetHead } from "./set-parts.tsx";
import { JudgeField } from "./sets.tsx";

const FIELDS = ["name", "judgeModel"];

/** Name and judge of a set, and its removal. */
export function setSettingsPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/:set/settings", async (context) => {
    const set = await findQuestionSet(context.get("services"), context.req.param("set"));
    return await settingsTab(context, set);
  });

  app.post("/:set/settings", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("set"));
    auditAs(context, "question-sets.change", set.identifier);
    const form = await formOf(context);
    const saved = await attempt(form, FIELDS, async () => {
      await refuseStale(context, form, ["questionSets", set.id]);
      const wish = { name: form.text("name"), judgeModel: typed(form.text("judgeModel")) ?? null };
      await changeQuestionSet(services, set, given(parseKnownOrRefuse(questionSetPatch, wish)));
    });
    if (!saved.done) return await settingsTab(context, set, { saved: saved.state });
    return redirectWithNotice(context, `${setAddress(set.identifier)}/settings`, {
      notice: "Saved.",
    });
  });

  app.post("/:set/remove", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("set"));
    auditAs(context, "question-sets.remove", set.identifier);
    const form = await formOf(context);
    const removed = await attempt(form, ["confirmation"], async () => {
      if (form.text("confirmation") !== set.name) {
        throw invalid("confirmation is not the name", [
          { field: "confirmation", problem: "is not the name" },
        ]);
      }
      await deleteSet(services.db, set.id);
    });
    if (!removed.done) return await settingsTab(context, set, { removed: removed.state });
    return redirectWithNotice(context, PLACE.href, { notice: "The question set is removed." });
  });
  return app;
}

const storedForm = (set: QuestionSet) =>
  freshForm({ name: set.name, judgeModel: set.judgeModel ?? "" });

type States = { saved?: FormState; removed?: FormState };

async function settingsTab(
  context: PageContext,
  set: QuestionSet,
  states: States = {},
): Promise<Response> {
  const address = setAddress(set.identifier);
  const saved = states.saved ?? storedForm(set);
  const seen = await shownState(context, "questionSets", set.id);
  const content = (
    <>
      <SetHead set={set} here="/settings" />
      {isAdmin(context) ? (
        <>
          <Form action={`${address}/settings`} state={saved} submit="Save" shown={seen}>
            <TextField state={saved} name="name" label="Name" required />
            {set.subjectKind === "rag" ? null : <JudgeField state={saved} />}
          </Form>
          <h2>Remove the set</h2>
          <ConfirmRemoval
            action={`${address}/remove`}
            state={states.removed ?? freshForm()}
            name={set.name}
            isMuch
            cancel={address}
            submit="Remove the set"
          >
            <p>
              {counted(set.questions, "question")} and all runs are deleted. The RAG or inference
              stays.
            </p>
          </ConfirmRemoval>
        </>
      ) : (
        <Facts
          facts={[
            ["Identifier", <Data mono>{set.identifier}</Data>],
            ["Judge", <Data>{set.judgeModel ?? "none"}</Data>],
          ]}
        />
      )}
    </>
  );
  const status = (states.saved ?? states.removed)?.status ?? 200;
  return await page(context, { title: set.name, place: "evaluation", status }, content);
}
