import {
  createAgent,
  updateAgent,
  createInference,
  updateInference,
} from "../../../catalog/inferences/runner-verbs.ts";
import { modelChoices } from "../../../catalog/models/model-choices.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { BUILT_IN_MODELS } from "../../../ports/models.ts";
import type { Services } from "../../../services.ts";
import { agentPatch, newAgent } from "../../../catalog/agents/agent-settings.ts";
import { inferencePatch, newInference } from "../../../catalog/inferences/inference-settings.ts";
import { given } from "../../../core/input/given.ts";
import { Form } from "../../components/form.tsx";
import { DangerZone } from "../../components/data.tsx";
import { page, isAdmin, type PageContext } from "../page.tsx";
import { submit } from "../request/action.ts";
import type { Form as Sent, FormState } from "../request/form.ts";
import { filterIn } from "../request/list-query.ts";
import { formName } from "../request/setting-form.ts";
import { refuseStale, shownState } from "../request/stale.ts";
import {
  fieldsOf,
  formOfRecord,
  freshModel,
  modelBody,
  ModelFields,
  namesOf,
  StoredModel,
} from "./model-fields.tsx";
import { addressOf, WORDS, type Kind } from "./model-list.tsx";
import { modelTab, type Model } from "./model-tab.tsx";

/** What the fields offer. */
async function choicesOf(context: PageContext) {
  const services = context.get("services");
  const [rags, models] = await Promise.all([
    listChoices(services.db, "rag"),
    modelChoices(services, "chat"),
  ]);
  return { rags, models };
}

export async function newModelPage(
  context: PageContext,
  kind: Kind,
  failed: FormState | null = null,
): Promise<Response> {
  const choices = await choicesOf(context);
  const model = choices.models[0]?.model ?? BUILT_IN_MODELS.chat;
  const [rag, name] = [filterIn(context, "rag"), filterIn(context, "name")];
  const state = failed ?? freshModel(kind, { rag, name, model });
  const { place, title } = WORDS[kind];
  const list = `/panel/${place}`;
  const trail = [{ name: title, href: list }];
  return await page(
    context,
    { title: `New ${kind}`, trail, status: state.status },
    <Form action={`/panel/new/${kind}`} state={state} submit={`Create ${kind}`} cancel={list}>
      <ModelFields kind={kind} state={state} isNew {...choices} />
    </Form>,
  );
}

export const makeModel = (context: PageContext, kind: Kind) =>
  submit(context, {
    audit: [`${WORDS[kind].place}.create`],
    fields: namesOf(kind),
    work: (form) => create(context.get("services"), kind, form),
    again: (state) => newModelPage(context, kind, state),
    leads: ({ id, identifier }) => ({
      to: addressOf(kind, identifier),
      target: id,
      notice: `The ${kind} is created. Ask it a question.`,
    }),
  });

async function create(services: Services, kind: Kind, form: Sent) {
  const body = modelBody(form, fieldsOf(kind, true), false);
  if (kind === "agent") return await createAgent(services, parseKnownOrRefuse(newAgent, body));
  return await createInference(services, parseKnownOrRefuse(newInference, body));
}

export async function editModelPage(
  context: PageContext,
  model: Model,
  failed: FormState | null = null,
): Promise<Response> {
  const { kind, record } = model;
  const state = failed ?? formOfRecord(kind, record);
  return await modelTab(
    context,
    { model, here: "/settings", window: `Settings of ${record.name}`, status: state.status },
    isAdmin(context) ? (
      await editForm(context, model, state)
    ) : (
      <StoredModel kind={kind} record={record} />
    ),
  );
}

async function editForm(context: PageContext, { kind, record }: Model, state: FormState) {
  const choices = await choicesOf(context);
  const seen = await shownState(context, WORDS[kind].place, record.id);
  const address = addressOf(kind, record.identifier);
  return (
    <>
      <Form action={`${address}/settings`} state={state} submit="Save" shown={seen}>
        <ModelFields kind={kind} state={state} isNew={false} {...choices} />
      </Form>
      <DangerZone title="Remove it" href={`${address}/remove`} label={`Remove the ${kind}`}>
        <p>Deletes its prompt. RAGs and documents stay.</p>
      </DangerZone>
    </>
  );
}

export const saveModel = (context: PageContext, model: Model) => {
  const { kind, record } = model;
  const { place } = WORDS[kind];
  return submit(context, {
    audit: [`${place}.change`, record.identifier],
    fields: namesOf(kind),
    work: async (form) => {
      await refuseStale(context, form, [place, record.id]);
      await update(context.get("services"), model, form);
    },
    again: (state, form) =>
      editModelPage(context, model, completed(state, form, formOfRecord(kind, record))),
    leads: () => ({ to: addressOf(kind, record.identifier), notice: "Saved." }),
  });
};

/** A failed form with what is stored in the fields that it does not have. */
const completed = (failed: FormState, form: Sent, stored: FormState): FormState =>
  form.text("only") === ""
    ? failed
    : {
        ...failed,
        text: (field) => (form.has(field) ? failed : stored).text(field),
        all: (field) => (form.has(field) ? failed : stored).all(field),
      };

/** The page that runs it saves its prompt `only`. */
async function update(services: Services, model: Model, form: Sent): Promise<void> {
  const only = form.text("only");
  const fields = fieldsOf(model.kind, false);
  const sent = fields.filter((field) => only === "" || formName(field) === only);
  const body = modelBody(form, sent, true);
  if (model.kind === "agent") {
    const patch = given(parseKnownOrRefuse(agentPatch, body));
    await updateAgent(services, model.record, patch);
  } else {
    const patch = given(parseKnownOrRefuse(inferencePatch, body));
    await updateInference(services, model.record, patch);
  }
}
