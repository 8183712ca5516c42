import { newAgent } from "../../../catalog/agents/agent-settings.ts";
import { newInference } from "../../../catalog/inferences/inference-settings.ts";
import type { ModelChoice } from "../../../catalog/models/model-choices.ts";
import type { SettingField } from "../../../core/input/setting-fields.ts";
import type { Choice } from "../../../db/catalog/panel-lists.ts";
import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { ModelField } from "../../components/model-field.tsx";
import { chosenIn, LongChoices } from "../../components/more-choices.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import { freshForm, type Form, type FormState } from "../request/form.ts";
import { bodyIn, formName, formValues, shownFields } from "../request/setting-form.ts";
import type { Kind } from "./model-list.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Facts } from "../../components/page-head.tsx";
import { settingFacts } from "../../components/setting-facts.tsx";

const SHOWN = { inference: shownFields(newInference), agent: shownFields(newAgent) };

/** The settings that a form shows: an identifier is chosen once. */
export const fieldsOf = (kind: Kind, isNew: boolean): SettingField[] =>
  SHOWN[kind].filter((field) => isNew || formName(field) !== "identifier");

export const namesOf = (kind: Kind) => [...SHOWN[kind].map(formName), "rags.more"];

type Prefilled = { rag: string | null; name: string | null; model: string };

const DEFAULT_PROMPT = "Answer from the passages. Say so when they do not hold the answer.";

/** A new one; `rag` is chosen beforehand. */
export const freshModel = (kind: Kind, { rag, name, model }: Prefilled) =>
  freshForm({
    ...formValues(fieldsOf(kind, true)),
    name: name ?? "",
    systemPrompt: DEFAULT_PROMPT,
    model,
    rags: rag === null ? [] : [rag],
  });

/** One as it is stored. */
export const formOfRecord = (kind: Kind, record: InferenceRecord | AgentRecord): FormState =>
  freshForm({
    ...formValues(fieldsOf(kind, false), record),
    rags: record.rags.map(({ identifier }) => identifier),
  });

/** The body that the API takes, from what was typed into these fields. */
export const modelBody = (form: Form, fields: readonly SettingField[], isPatch: boolean) => ({
  ...bodyIn(form, fields, { isPatch }),
  ...(fields.some((field) => formName(field) === "rags") ? { rags: chosenIn(form, "rags") } : {}),
});

type FieldsProps = {
  kind: Kind;
  state: FormState;
  isNew: boolean;
  rags: Choice[];
  models: ModelChoice[];
};

export const ModelFields = ({ kind, state, isNew, rags, models }: FieldsProps) => (
  <SettingFields
    fields={fieldsOf(kind, isNew)}
    state={state}
    isStored={!isNew}
    controls={{
      rags: <RagChoices state={state} rags={rags} />,
      model: <ModelField state={state} name="model" label="Model" choices={models} none={null} />,
    }}
  />
);

/** RAGs that are linked but not among the first names stay choosable. */
const RagChoices = ({ state, rags }: { state: FormState; rags: Choice[] }) => {
  const known = new Set(rags.map(({ identifier }) => identifier));
  const others = state.all("rags").filter((identifier) => !known.has(identifier));
  return rags.length + others.length === 0 ? null : (
    <LongChoices state={state} group="rags" label="RAGs" choices={rags} others={others} />
  );
};

/** Shown elsewhere on the page. */
const ELSEWHERE = new Set(["name", "systemPrompt", "rags"]);

/** For members: what is set. */
export const StoredModel = (props: { kind: Kind; record: InferenceRecord | AgentRecord }) => (
  <>
    <Facts
      facts={settingFacts(
        fieldsOf(props.kind, false).filter((field) => !ELSEWHERE.has(formName(field))),
        props.record,
      )}
    />
    <h2>System prompt</h2>
    <CodeBlock label="System prompt" text={props.record.systemPrompt} />
    <p class="soft">An administrator may change the settings.</p>
  </>
);
