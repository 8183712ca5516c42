import { Hono } from "hono";

import { given } from "../../../core/input/given.ts";
import { deleteSet, type QuestionSet } from "../../../db/evaluation/set-store.ts";
import {
  changeQuestionSet,
  findQuestionSet,
  questionSetPatch,
} from "../../../evaluation/questions/question-sets.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { Data } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { Form, TextField } from "../../components/form.tsx";
import { LinkButton } from "../../components/link.tsx";
import { Facts } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, typed, type FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { removable } from "../request/removal.tsx";
import { refuseStale, shownState } from "../request/stale.ts";
import { PLACE, setAddress, SetHead, trailTo } from "./set-parts.tsx";
import { JudgeField } from "./sets.tsx";

const FIELDS = ["name", "judgeModel"];

/** Name and judge of a set, and its removal. */
export function setSettingsPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const find = (context: PageContext) =>
    findQuestionSet(context.get("services"), context.req.param("set") ?? "");

  app.get("/:set/settings", async (context) => {
    const set = await find(context);
    const { name, judgeModel } = set;
    return await settingsTab(context, set, freshForm({ name, judgeModel: judgeModel ?? "" }));
  });

  app.post("/:set/settings", async (context) => {
    const set = await find(context);
    return await submit(context, {
      audit: ["question-sets.change", set.identifier],
      fields: FIELDS,
      work: async (form) => {
        await refuseStale(context, form, ["questionSets", set.id]);
        const judgeModel = typed(form.text("judgeModel")) ?? null;
        const patch = parseKnownOrRefuse(questionSetPatch, { name: form.text("name"), judgeModel });
        await changeQuestionSet(context.get("services"), set, given(patch));
      },
      again: (state) => settingsTab(context, set, state),
      leads: () => ({ to: `${setAddress(set.identifier)}/settings`, notice: "Saved." }),
    });
  });

  removable(app, "/:set/remove", async (context) => {
    const set = await find(context);
    return {
      title: "Remove the set",
      place: "evaluation",
      trail: trailTo(set),
      name: set.name,
      isMuch: true,
      submit: "Remove the set",
      says: (
        <p>
          {counted(set.questions, "question")} and all runs are deleted. The RAG or inference stays.
        </p>
      ),
      audit: ["question-sets.remove", set.identifier],
      remove: () => deleteSet(context.get("services").db, set.id),
      to: PLACE.href,
      notice: "The question set is removed.",
    };
  });
  return app;
}

async function settingsTab(context: PageContext, set: QuestionSet, state: FormState) {
  const address = setAddress(set.identifier);
  const seen = await shownState(context, "questionSets", set.id);
  return await page(
    context,
    { title: set.name, place: "evaluation", status: state.status },
    <>
      <SetHead set={set} here="/settings" />
      {isAdmin(context) ? (
        <>
          <Form action={`${address}/settings`} state={state} submit="Save" shown={seen}>
            <TextField state={state} name="name" label="Name" required />
            {set.subjectKind === "rag" ? null : <JudgeField state={state} />}
          </Form>
          <section class="danger-zone">
            <LinkButton href={`${address}/remove`} label="Remove the set …" kind="danger" />
          </section>
        </>
      ) : (
        <Facts
          facts={[
            ["Identifier", <Data mono>{set.identifier}</Data>],
            ["Judge", <Data>{set.judgeModel ?? "none"}</Data>],
          ]}
        />
      )}
    </>,
  );
}
