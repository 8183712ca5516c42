import { agentVerbs, findAgent, findInference } from "../../../catalog/inferences/runner-verbs.ts";
import { inferenceVerbs } from "../../../catalog/inferences/runner-verbs.ts";
import { agentRows, inferenceRows } from "../../../db/catalog/runner-store.ts";
import { DangerZone, Data } from "../../components/data.tsx";
import { addressOf, modelListPage, modelTab, WORDS, type Kind, type Model } from "./model-list.tsx";
import { askModel, modelPage } from "../search/search.tsx";
import { modelChoices } from "../../../catalog/models/model-choices.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { BUILT_IN_MODELS } from "../../../ports/models.ts";
import type { Services } from "../../../services.ts";
import { agentPatch, newAgent } from "../../../catalog/agents/agent-settings.ts";
import { inferencePatch, newInference } from "../../../catalog/inferences/inference-settings.ts";
import { LongChoices, ModelField, PromptField } from "../../components/choice-fields.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Facts } from "../../components/page-head.tsx";
import { settingFacts, SettingForm } from "../../components/setting-fields.tsx";
import { adminsOnly, isAdmin, page, type PageContext, type Pages } from "../page.tsx";
import type { Form as Sent, FormState } from "../request/form.ts";
import { filterIn } from "../request/list.tsx";
import { declaredForm, formName } from "../request/setting-form.ts";

const find =
  (kind: Kind) =>
  async (context: PageContext): Promise<Model> => {
    const services = context.get("services");
    const key = context.req.param("id") ?? "";
    if (kind === "agent") return { kind, record: await findAgent(services, { key }) };
    return { kind, record: await findInference(services, { key }) };
  };

/** Running changes nothing: members may do it, so this stands before what only admins may post. */
export function runPages(pages: Pages, kind: Kind): void {
  pages.of(find(kind)).post("/:id/run", askModel);
}

export function answerPages(pages: Pages, kind: Kind): void {
  const { place, title: list } = WORDS[kind];
  pages.get("/", (context) => modelListPage(context, kind));
  const ofOne = pages.of(find(kind));
  ofOne.get("/:id", modelPage);
  ofOne.get("/:id/settings", (context, model) => editModelPage(context, model));
  ofOne.submit("/:id/settings", (context, model) => ({
    audit: [`${place}.change`, model.record.identifier],
    fields: STORED[kind].names,
    changes: model.record,
    work: (services, form) => update(services, model, form),
    again: (state, form) => editModelPage(context, model, completed(state, form, model)),
    leads: (isWhole) => ({
      to: addressOf(kind, model.record.identifier) + (isWhole ? "/settings" : ""),
      notice: "Saved.",
    }),
  }));
  ofOne.removal("/:id/remove", (_context, model) => {
    const { identifier, name } = model.record;
    const address = addressOf(kind, identifier);
    return {
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
      audit: [`${place}.remove`, identifier],
      remove: ({ db }) =>
        model.kind === "agent"
          ? agentRows.remove(db, model.record.id)
          : inferenceRows.remove(db, model.record.id),
      to: `/panel/${place}`,
      notice: `${name} is removed.`,
    };
  });
}

/** A new one; no identifier can hide it, as none is below `/new`. */
export function newModelPages(pages: Pages, kind: Kind): void {
  pages.use("*", adminsOnly);
  pages.get("/", (context) => newModelPage(context, kind));
  pages.submit("/", (context) => ({
    audit: [`${WORDS[kind].place}.create`],
    fields: NEW[kind].names,
    work: (services, form) => create(services, kind, form),
    again: (state) => newModelPage(context, kind, state),
    leads: ({ id, identifier }) => ({
      to: addressOf(kind, identifier),
      target: id,
      notice: `The ${kind} is created. Ask it a question.`,
    }),
  }));
}

const NEW = { inference: declaredForm(newInference), agent: declaredForm(newAgent) };
const STORED = {
  inference: declaredForm(newInference, ["identifier"]),
  agent: declaredForm(newAgent, ["identifier"]),
};
/** What the page that runs one saves. */
const PROMPT = declaredForm(newAgent.pick({ systemPrompt: true }));

const DEFAULT_PROMPT = "Answer from the passages. Say so when they do not hold the answer.";

/** RAGs that are linked but not among the first names stay choosable. */
async function controlsOf(context: PageContext, state: FormState) {
  const services = context.get("services");
  const [rags, models] = await Promise.all([
    listChoices(services.db, "rag"),
    modelChoices(services, "chat"),
  ]);
  const identifiers = new Set(rags.map(({ identifier }) => identifier));
  const unknownRags = state.all("rags").filter((identifier) => !identifiers.has(identifier));
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

async function create(services: Services, kind: Kind, form: Sent) {
  if (kind === "agent") return await agentVerbs.create(services, NEW.agent.read(form));
  return await inferenceVerbs.create(services, NEW.inference.read(form));
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
function completed(failed: FormState, form: Sent, model: Model): FormState {
  if (form.text("only") === "") return failed;
  const fieldState = (field: string) => (form.has(field) ? failed : storedState(model));
  return {
    ...failed,
    text: (field) => fieldState(field).text(field),
    all: (field) => fieldState(field).all(field),
  };
}

/** The page that runs it saves its prompt `only`. Returns whether the whole form was sent. */
async function update(services: Services, model: Model, form: Sent): Promise<boolean> {
  const isWhole = form.text("only") === "";
  if (model.kind === "agent") {
    const { patch } = isWhole ? STORED.agent : PROMPT;
    await agentVerbs.update(services, model.record, patch(form, agentPatch));
  } else {
    const { patch } = isWhole ? STORED.inference : PROMPT;
    await inferenceVerbs.update(services, model.record, patch(form, inferencePatch));
  }
  return isWhole;
}
