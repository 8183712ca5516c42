import { needsNewIndex, ragPatch } from "../../../catalog/rags/rag-settings.ts";
import { omitUndefined } from "../../../core/input/omit-undefined.ts";
import type { RagRecord } from "../../../db/records.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { estimateRebuild } from "../../../ingestion/rebuilds/estimate-rebuild.ts";
import type { RebuildEstimate } from "../../../ingestion/rebuilds/estimate-rebuild.ts";
import { perform } from "../../action.ts";
import { ragChange } from "../../api/rags.ts";
import { Hidden } from "../../components/data.tsx";
import { count, countText, money } from "../../components/figures.ts";
import { formFrom, type FormValues, type FormState, UPDATED_AT } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import { SettingForm } from "../../components/setting-fields.tsx";
import { page, isAdmin, type PageContext } from "../page.tsx";
import { redirectWithNotice, attempt, formOf, refuseStale } from "../request/form.ts";
import { RAG_FORM, ragControls, ragAddress, ragTab, trailTo } from "./rag-tab.tsx";

export async function settingsPage(
  context: PageContext,
  rag: RagRecord,
  state: FormState = RAG_FORM.state(rag),
): Promise<Response> {
  const address = ragAddress(rag.identifier);
  return await ragTab(
    context,
    { rag, here: "/settings", window: `Settings of ${rag.name}`, status: state.status },
    isAdmin(context) ? (
      <SettingForm
        action={`${address}/settings`}
        state={state}
        submit="Save"
        shown={rag.updatedAt}
        fields={RAG_FORM.fields}
        controls={await ragControls(context.get("services"), state)}
      >
        <p>
          A new length or overlap builds a new index while this one answers. The next page shows the
          cost first. <a href={`${address}/preview`}>Preview chunking</a>.
        </p>
      </SettingForm>
    ) : (
      <p class="soft">An administrator may change the settings.</p>
    ),
  );
}

function patchIn(rag: RagRecord, form: FormValues) {
  refuseStale(form, rag);
  return omitUndefined(parseKnownOrRefuse(ragPatch, RAG_FORM.patch(form)));
}

/** Saves what builds nothing at once; else the cost of the new index is confirmed first. */
export async function saveSettings(context: PageContext, rag: RagRecord): Promise<Response> {
  const form = await formOf(context);
  const attempted = await attempt(form, RAG_FORM.names, async () => {
    const patch = patchIn(rag, form);
    const rebuilds = needsNewIndex(rag, patch);
    if (rebuilds && !form.has("confirmed")) {
      await estimateRebuild(context.get("services"), { rag, wish: patch });
      // Nothing is changed yet.
      context.set("audit", undefined);
      return "ask" as const;
    }
    await perform(context, ragChange, { subject: rag, input: RAG_FORM.patch(form) });
    return rebuilds ? ("building" as const) : ("saved" as const);
  });
  if (!attempted.done) return await settingsPage(context, rag, attempted.state);
  const address = ragAddress(rag.identifier);
  if (attempted.result === "ask") {
    const query = new URLSearchParams(fieldsIn(form)).toString();
    return redirectWithNotice(context, `${address}/settings/cost?${query}`);
  }
  if (attempted.result === "saved") {
    return redirectWithNotice(context, `${address}/settings`, { notice: "Saved." });
  }
  const notice = "Saved. The new index is being built.";
  return redirectWithNotice(context, address, { notice });
}

/** The form's values, to be sent once more. */
const fieldsIn = (form: FormValues) =>
  Object.fromEntries([...RAG_FORM.names, UPDATED_AT].map((field) => [field, form.text(field)]));

/** The cost of the settings in the address, and the button that makes it so. */
export async function settingsCostPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const form = formFrom(new URL(context.req.url).searchParams);
  const attempted = await attempt(form, RAG_FORM.names, async () => {
    const wish = patchIn(rag, form);
    return await estimateRebuild(context.get("services"), { rag, wish });
  });
  if (!attempted.done) return await settingsPage(context, rag, attempted.state);
  return await costPage(context, rag, {
    title: "What the change costs",
    estimate: attempted.result,
    action: "/settings",
    values: { ...fieldsIn(form), confirmed: "on" },
    submit: "Build the new index",
    cancel: "/settings",
  });
}

/** The cost of indexing everything again. */
export async function reindexPage(context: PageContext, rag: RagRecord): Promise<Response> {
  return await costPage(context, rag, {
    title: "Index everything again",
    estimate: await estimateRebuild(context.get("services"), { rag, wish: { reindex: true } }),
    action: "/reindex",
    submit: "Index everything again",
    cancel: "",
  });
}

type CostProps = {
  estimate: RebuildEstimate;
  title: string;
  submit: string;
  /** Below the RAG's address. */
  action: string;
  cancel: string;
  values?: Record<string, string>;
};

async function costPage(context: PageContext, rag: RagRecord, props: CostProps): Promise<Response> {
  const { title, estimate, action, values, submit, cancel } = props;
  const address = ragAddress(rag.identifier);
  const { cost } = estimate;
  return await page(
    context,
    {
      title,
      trail: trailTo(rag),
      sub: "Quarry builds a new index while the current one answers. Searches switch to it when it is complete.",
    },
    <>
      <Facts
        facts={{
          Files: count(estimate.files),
          Passages: `about ${count(estimate.chunks)} (now ${count(rag.numberVectors)})`,
          "Tokens to embed": `about ${count(estimate.inputTokens)}`,
          "Model calls": `about ${countText(estimate.embeddingCalls, "call")}`,
          Cost:
            cost === null
              ? "unknown: the embedding model has no price in Settings"
              : `about ${money(cost.amount, cost.currency)}`,
        }}
      />
      <form method="post" action={address + action} class="submit">
        <Hidden values={values} />
        <button class="btn primary">{submit}</button>
        <a href={address + cancel}>Cancel</a>
      </form>
    </>,
  );
}
