import type { z } from "zod";

import { newAgent } from "../../../catalog/agents/agent-settings.ts";
import { newInference } from "../../../catalog/inferences/inference-settings.ts";
import { modelChoices } from "../../../catalog/models/model-choices.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { BUILT_IN_MODELS } from "../../../ports/models.ts";
import type { Action } from "../../action.ts";
import type { Find } from "../../api/request/route.ts";
import { LongChoices, ModelField, PromptField } from "../../components/choice-fields.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { DangerZone, Data } from "../../components/data.tsx";
import { type FormValues, type FormState, formName } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import { settingFacts, SettingForm, formOfSettings } from "../../components/setting-fields.tsx";
import { requireAdmin, isAdmin, lookUp, page, type PageContext, type Pages } from "../page.tsx";
import { filterIn } from "../request/list.tsx";
import { askModel, modelPage } from "../search/search.tsx";
import { addressOf, modelListPage, modelTab, WORDS, type Kind, type Model } from "./model-list.tsx";

type Runner = Model["record"];

/** The actions of one kind of them. */
type Actions<Of extends Runner, New extends z.ZodType, Patch extends z.ZodType> = {
  find: Find<Of>;
  creation: Action<undefined, New, Of>;
  change: Action<Of, Patch, Of>;
  removal: Action<Of, z.ZodUndefined, unknown>;
};

const modelOf =
  <Of extends Runner>(kind: Kind, find: Find<Of>) =>
  async (context: PageContext) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each kind has its own records
    ({ kind, record: await lookUp(find)(context) }) as Model & { record: Of };

/** Running changes nothing: members may do it, so this stands before what members may not see. */
export function runPages<Of extends Runner>(pages: Pages, kind: Kind, find: Find<Of>): void {
  pages.forRecord(modelOf(kind, find)).receive("/:id/run", askModel, "members");
}

export function answerPages<Of extends Runner, New extends z.ZodType, Patch extends z.ZodType>(
  pages: Pages,
  kind: Kind,
  { find, change, removal }: Actions<Of, New, Patch>,
): void {
  const { place, title: list } = WORDS[kind];
  pages.get("/", (context) => modelListPage(context, kind));
  const ofOne = pages.forRecord(modelOf(kind, find));
  ofOne.get("/:id", modelPage);
  ofOne.get("/:id/settings", (context, model) => editModelPage(context, model));
  ofOne.form("/:id/settings", change, (context, model) => {
    const isWholeForm = (form: FormValues) => form.text("only") === "";
    return {
      subject: model.record,
      fields: STORED[kind].names,
      // The page that runs it saves its prompt only.
      body: (form) => (isWholeForm(form) ? STORED[kind] : PROMPT).patch(form),
      changes: model.record,
      failedPage: (state, form) => editModelPage(context, model, completeState(state, form, model)),
      to: (_record, form) =>
        addressOf(kind, model.record.identifier) + (isWholeForm(form) ? "/settings" : ""),
    };
  });
  ofOne.removal("/:id/remove", removal, (_context, { record }) => {
    const { identifier, name } = record;
    const address = addressOf(kind, identifier);
    return {
      subject: record,
      title: `Remove the ${kind}`,
      trail: [
        { name: list, href: `/panel/${place}` },
        { name, href: address },
      ],
      name,
      cancel: `${address}/settings`,
      says: (
        <p>
          Removes <Data>{name}</Data> and its prompt. Its RAGs and documents stay, and so do the
          figures of its calls. Programs that call it get 404.
        </p>
      ),
      to: `/panel/${place}`,
    };
  });
}

/** A new one; no identifier can hide it, as none is below `/new`. */
export function newModelPages<Of extends Runner, New extends z.ZodType, Patch extends z.ZodType>(
  pages: Pages,
  kind: Kind,
  { creation }: Actions<Of, New, Patch>,
): void {
  pages.use("*", requireAdmin);
  pages.get("/", (context) => newModelPage(context, kind));
  pages.form("/", creation, (context) => ({
    declared: NEW[kind],
    failedPage: (state) => newModelPage(context, kind, state),
    to: ({ identifier }) => addressOf(kind, identifier),
  }));
}

const NEW = { inference: formOfSettings(newInference), agent: formOfSettings(newAgent) };
const STORED = {
  inference: formOfSettings(newInference, ["identifier"]),
  agent: formOfSettings(newAgent, ["identifier"]),
};
/** The fields that the page with a run saves. */
const PROMPT = formOfSettings(newAgent.pick({ systemPrompt: true }));

const DEFAULT_PROMPT = "Answer from the passages. Say so when they do not hold the answer.";

/** RAGs that are linked but not among the first names stay choosable. */
async function controlsOf(context: PageContext, state: FormState) {
  const services = context.get("services");
  const [rags, models] = await Promise.all([
    listChoices(services.db, "rag"),
    modelChoices(services, "chat"),
  ]);
  const identifiers = new Set(rags.map(({ identifier }) => identifier));
  const unknownRags = state.valuesOf("rags").filter((identifier) => !identifiers.has(identifier));
  return {
    rags:
      rags.length + unknownRags.length === 0 ? null : (
        <LongChoices state={state} group="rags" label="RAGs" choices={rags} others={unknownRags} />
      ),
    systemPrompt: (
      <PromptField state={state} name="systemPrompt" model={state.text("model")} required />
    ),
    model: <ModelField state={state} name="model" label="Model" choices={models} none={null} />,
  };
}

/** `?rag=` and `?name=` are filled in. */
async function newModelPage(context: PageContext, kind: Kind, failed: FormState | null = null) {
  const [suggested] = await modelChoices(context.get("services"), "chat");
  const state =
    failed ??
    NEW[kind].state(undefined, {
      name: filterIn(context, "name") ?? "",
      systemPrompt: DEFAULT_PROMPT,
      model: suggested?.model ?? BUILT_IN_MODELS.chat,
      rags: filterIn(context, "rag") ?? [],
    });
  const { place, title } = WORDS[kind];
  const list = `/panel/${place}`;
  return await page(
    context,
    { title: `New ${kind}`, trail: [{ name: title, href: list }], status: state.status },
    <SettingForm
      action={`/panel/new/${kind}`}
      state={state}
      submit={`Create ${kind}`}
      cancel={list}
      fields={NEW[kind].fields}
      controls={await controlsOf(context, state)}
    />,
  );
}

const storedState = ({ kind, record }: Model) =>
  STORED[kind].state(record, { rags: record.rags.map(({ identifier }) => identifier) });

async function editModelPage(
  context: PageContext,
  model: Model,
  state: FormState = storedState(model),
): Promise<Response> {
  const window = `Settings of ${model.record.name}`;
  return await modelTab(
    context,
    { model, here: "/settings", window, status: state.status },
    isAdmin(context) ? await editForm(context, model, state) : <StoredModel model={model} />,
  );
}

async function editForm(context: PageContext, { kind, record }: Model, state: FormState) {
  const address = addressOf(kind, record.identifier);
  return (
    <>
      <SettingForm
        action={`${address}/settings`}
        state={state}
        submit="Save"
        shown={record.updatedAt}
        fields={STORED[kind].fields}
        controls={await controlsOf(context, state)}
      />
      <DangerZone title="Remove it" href={`${address}/remove`} label={`Remove the ${kind}`}>
        <p>Deletes its prompt. RAGs and documents stay.</p>
      </DangerZone>
    </>
  );
}

/** Shown elsewhere on the page. */
const ELSEWHERE = new Set(["name", "systemPrompt", "rags"]);

const StoredModel = ({ model: { kind, record } }: { model: Model }) => (
  <>
    <Facts
      facts={settingFacts(
        STORED[kind].fields.filter((field) => !ELSEWHERE.has(formName(field))),
        record,
      )}
    />
    <h2>System prompt</h2>
    <CodeBlock label="System prompt" text={record.systemPrompt} />
    <p class="soft">An administrator may change the settings.</p>
  </>
);

/** A failed form with what is stored in the fields that it does not have. */
function completeState(failed: FormState, form: FormValues, model: Model): FormState {
  if (form.text("only") === "") return failed;
  const fieldState = (field: string) => (form.has(field) ? failed : storedState(model));
  return {
    ...failed,
    text: (field) => fieldState(field).text(field),
    valuesOf: (field) => fieldState(field).valuesOf(field),
  };
}
