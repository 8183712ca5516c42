import { updateRag } from "../../../catalog/rags/update-rag.ts";
import type { RagRecord } from "../../../db/records.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { estimateRebuild } from "../../../ingestion/rebuilds/estimate-rebuild.ts";
import type { RebuildEstimate, RebuildWish } from "../../../ingestion/rebuilds/estimate-rebuild.ts";
import { needsNewIndex, ragPatch } from "../../../catalog/rags/rag-settings.ts";
import { given } from "../../../core/input/given.ts";
import { count, counted, money } from "../../components/figures.ts";
import { Form } from "../../components/form.tsx";
import { Facts, PageHead } from "../../components/page-head.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formFrom, formOf, freshForm } from "../request/form.ts";
import type { Form as Sent, FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { bodyIn, formName, formValues } from "../request/setting-form.ts";
import { refuseStale, shownState, UPDATED_AT } from "../request/stale.ts";
import { RAG_FIELDS, ragHints } from "./rag-fields.tsx";
import { ragAddress } from "./rag-address.ts";
import { RagHead } from "./rag-page.tsx";

const FIELDS = RAG_FIELDS.map(formName);

const formOfRag = (rag: RagRecord) => freshForm(formValues(RAG_FIELDS, rag));

export async function settingsPage(context: PageContext, rag: RagRecord): Promise<Response> {
  return await show(context, rag, formOfRag(rag));
}

async function show(context: PageContext, rag: RagRecord, state: FormState): Promise<Response> {
  const address = ragAddress(rag.identifier);
  const seen = await shownState(context, "rags", rag.id);
  const content = (
    <>
      <RagHead rag={rag} here="/settings" mayChange={isAdmin(context)} />
      {isAdmin(context) ? (
        <Form action={`${address}/settings`} state={state} submit="Save" shown={seen}>
          <SettingFields
            fields={RAG_FIELDS}
            state={state}
            isStored
            hints={await ragHints(context.get("services"))}
          />
          <p>
            Another length or overlap builds a new index while this one answers. The next page shows
            the cost first. <a href={`${address}/preview`}>Preview how a file is cut</a>.
          </p>
        </Form>
      ) : (
        <p class="soft">An administrator may change the settings.</p>
      )}
    </>
  );
  const title = `Settings of ${rag.name}`;
  return await page(context, { title, place: "rags", status: state.status }, content);
}

async function patchIn(context: PageContext, rag: RagRecord, form: Sent) {
  await refuseStale(context, form, ["rags", rag.id]);
  return given(parseKnownOrRefuse(ragPatch, bodyIn(form, RAG_FIELDS, { isPatch: true })));
}

/** Saves what builds nothing at once; else what the new index costs is asked about first. */
export async function saveSettings(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.change", rag.identifier);
  const services = context.get("services");
  const form = await formOf(context);
  const tried = await attempt(form, FIELDS, async () => {
    const patch = await patchIn(context, rag, form);
    const rebuilds = needsNewIndex(rag, patch);
    if (rebuilds && !form.has("confirmed")) {
      await estimateRebuild(services, { rag, wish: patch });
      return "ask" as const;
    }
    await updateRag(services, { rag, patch });
    return rebuilds ? ("building" as const) : ("saved" as const);
  });
  if (!tried.done) return await show(context, rag, tried.state);
  const address = ragAddress(rag.identifier);
  if (tried.result === "ask") {
    const values = [...FIELDS, UPDATED_AT].map((field) => [field, form.text(field)]);
    return redirectWithNotice(
      context,
      `${address}/settings/cost?${new URLSearchParams(values).toString()}`,
    );
  }
  return redirectWithNotice(context, address, {
    notice: tried.result === "saved" ? "Saved." : "Saved. The new index is being built.",
  });
}

/** What the settings in the address would cost, and the button that makes it so. */
export async function settingsCostPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const form = formFrom(new URL(context.req.url).searchParams);
  const tried = await attempt(form, FIELDS, async () => {
    const wish = await patchIn(context, rag, form);
    return await estimateRebuild(context.get("services"), { rag, wish });
  });
  if (!tried.done) return await show(context, rag, tried.state);
  return await costPage(context, {
    rag,
    title: "What the change costs",
    estimate: tried.result,
    action: "/settings",
    values: {
      ...Object.fromEntries([...FIELDS, UPDATED_AT].map((field) => [field, form.text(field)])),
      confirmed: "on",
    },
    submit: "Build the new index",
    cancel: "/settings",
  });
}

/** The same for indexing everything again. */
export async function reindexPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const wish: RebuildWish = { reindex: true };
  return await costPage(context, {
    rag,
    title: "Index everything again",
    estimate: await estimateRebuild(context.get("services"), { rag, wish }),
    action: "/reindex",
    values: {},
    submit: "Index everything again",
    cancel: "",
  });
}

type CostProps = {
  rag: RagRecord;
  title: string;
  estimate: RebuildEstimate;
  /** Below the RAG's address. */
  action: string;
  values: Record<string, string>;
  submit: string;
  cancel: string;
};

async function costPage(context: PageContext, of: CostProps): Promise<Response> {
  const { rag, title, estimate, action, values, submit, cancel } = of;
  const address = ragAddress(rag.identifier);
  const { cost } = estimate;
  const trail = [
    { name: "RAGs", href: "/panel/rags" },
    { name: rag.name, href: address },
  ];
  const content = (
    <>
      <PageHead
        title={title}
        trail={trail}
        sub="Quarry builds a new index while the current one answers. Searches switch to it when it is complete."
      />
      <Facts
        facts={[
          ["Files", count(estimate.files)],
          ["Passages", `about ${count(estimate.chunks)} (now ${count(rag.numberVectors)})`],
          ["Tokens to embed", `about ${count(estimate.inputTokens)}`],
          ["Calls of the model", `about ${counted(estimate.embeddingCalls, "call")}`],
          [
            "Cost",
            cost === null
              ? "unknown: the embedding model has no price in Settings"
              : `about ${money(cost.amount, cost.currency)}`,
          ],
        ]}
      />
      {isAdmin(context) ? (
        <form method="post" action={address + action} class="submit">
          {Object.entries(values).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button class="btn primary">{submit}</button>
          <a href={address + cancel}>Cancel</a>
        </form>
      ) : null}
    </>
  );
  return await page(context, { title, place: "rags" }, content);
}
