import { updateRag } from "../../../catalog/rags/update-rag.ts";
import type { RagRecord } from "../../../db/records.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { estimateRebuild } from "../../../ingestion/rebuilds/estimate-rebuild.ts";
import type { RebuildEstimate, RebuildWish } from "../../../ingestion/rebuilds/estimate-rebuild.ts";
import { ragPatch } from "../../api/rags.ts";
import { given } from "../../api/request/read-request.ts";
import { count, counted, money } from "../../components/figures.ts";
import { Form, TextField } from "../../components/form.tsx";
import { Facts, PageHead } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, goTo } from "../request/action.ts";
import { changedIn, editOf, seenOf, type Edit } from "../request/edit.ts";
import { attempt, formFrom, formOf, freshForm, numberOf, typed } from "../request/form.ts";
import type { FormState } from "../request/form.ts";
import { isAdmin } from "../request/guards.ts";
import { ragAddress } from "./rag-list.tsx";
import { RagHead } from "./rag-page.tsx";
import { SearchFields } from "./search-fields.tsx";

const FIELDS = ["name", "chunkSize", "chunkOverlap", "reranker", "searchMode"];

const formOfRag = ({ name, chunkSize, chunkOverlap, reranker, searchMode }: RagRecord) =>
  freshForm({
    name,
    chunkSize: String(chunkSize),
    chunkOverlap: String(chunkOverlap),
    reranker: reranker ?? "",
    searchMode,
  });

export async function settingsPage(context: PageContext, rag: RagRecord): Promise<Response> {
  return await show(context, rag, formOfRag(rag));
}

async function show(context: PageContext, rag: RagRecord, state: FormState): Promise<Response> {
  const address = ragAddress(rag.identifier);
  const seen = await seenOf(formOfRag(rag), FIELDS);
  const content = (
    <>
      <RagHead rag={rag} here="/settings" mayChange={isAdmin(context)} />
      {isAdmin(context) ? (
        <Form action={`${address}/settings`} state={state} submit="Save" seen={seen}>
          <TextField state={state} name="name" label="Name" required />
          <SearchFields state={state} services={context.get("services")} />
          <p>
            Another length or overlap builds a new index beside this one: what it costs is shown
            before anything is done. <a href={`${address}/preview`}>Preview how a file is cut</a>.
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

function patchIn(edit: Edit) {
  const { form } = edit;
  const reranker = form.text("reranker");
  const body = {
    name: form.text("name"),
    chunkSize: numberOf(form.text("chunkSize")),
    chunkOverlap: numberOf(form.text("chunkOverlap")),
    reranker: reranker === "" ? null : reranker,
    searchMode: typed(form.text("searchMode")),
  };
  return given(parseKnownOrRefuse(ragPatch, changedIn(edit, body)));
}

/** Saves what builds nothing at once; else what the new index costs is asked about first. */
export async function saveSettings(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.change", rag.identifier);
  const services = context.get("services");
  const form = await formOf(context);
  const edit = await editOf(form, formOfRag(rag), FIELDS);
  const tried = await attempt(edit.form, FIELDS, async () => {
    const patch = patchIn(edit);
    const { chunkSize = rag.chunkSize, chunkOverlap = rag.chunkOverlap } = patch;
    const recuts = chunkSize !== rag.chunkSize || chunkOverlap !== rag.chunkOverlap;
    if (recuts && !form.has("confirmed")) {
      await estimateRebuild(services, { rag, wish: { chunkSize, chunkOverlap } });
      return "ask" as const;
    }
    await updateRag(services, { rag, patch });
    return recuts ? ("building" as const) : ("saved" as const);
  });
  if (!tried.done) return await show(context, rag, tried.state);
  const address = ragAddress(rag.identifier);
  if (tried.result === "ask") {
    const values = [...FIELDS, "seen"].map((field) => [field, form.text(field)]);
    return goTo(context, `${address}/settings/cost?${new URLSearchParams(values).toString()}`);
  }
  return goTo(context, address, {
    notice: tried.result === "saved" ? "Saved." : "Saved. The new index is being built.",
  });
}

/** What the settings in the address would cost, and the button that makes it so. */
export async function settingsCostPage(context: PageContext, rag: RagRecord): Promise<Response> {
  const form = formFrom(new URL(context.req.url).searchParams);
  const edit = await editOf(form, formOfRag(rag), FIELDS);
  const tried = await attempt(edit.form, FIELDS, async () => {
    const { chunkSize, chunkOverlap } = patchIn(edit);
    return await estimateRebuild(context.get("services"), {
      rag,
      wish: { chunkSize, chunkOverlap },
    });
  });
  if (!tried.done) return await show(context, rag, tried.state);
  return await costPage(context, {
    rag,
    title: "What the change costs",
    estimate: tried.result,
    action: "/settings",
    values: {
      ...Object.fromEntries([...FIELDS, "seen"].map((field) => [field, form.text(field)])),
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
        sub="A new index is built beside the one that answers. Searches change over when it is complete; until then nothing changes for anybody."
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
