import type { Choice } from "../../../db/catalog/panel-lists.ts";
import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { Data } from "../../components/data.tsx";
import { Checkbox, Choices, TextArea, TextField } from "../../components/form.tsx";
import { modelsHint, moreIn, MoreChoices } from "../../components/more-choices.tsx";
import { freshForm, numberOf, type Form, type FormState } from "../request/form.ts";
import type { Kind } from "./model-list.tsx";

export const FIELDS = [
  "name",
  "identifier",
  "description",
  "systemPrompt",
  "model",
  "rags",
  "rags.more",
  "nativeRag",
  "maxSteps",
  "temperature",
  "maxOutputTokens",
];

const DEFAULT_PROMPT = "Answer from the passages. Say so when they do not hold the answer.";
const DEFAULT_STEPS = "5";

/** A new one: `?rag=` chooses a RAG beforehand. */
export const freshModel = (rag: string | null, model: string) =>
  freshForm({
    systemPrompt: DEFAULT_PROMPT,
    nativeRag: "on",
    maxSteps: DEFAULT_STEPS,
    model,
    rags: rag === null ? [] : [rag],
  });

/** One as it is stored. */
export function formOfRecord(record: InferenceRecord | AgentRecord): FormState {
  const number = (value: number | null) => (value === null ? "" : String(value));
  return freshForm({
    name: record.name,
    systemPrompt: record.systemPrompt,
    model: record.model,
    rags: record.rags.map(({ identifier }) => identifier),
    temperature: number(record.temperature),
    maxOutputTokens: number(record.maxOutputTokens),
    ...("nativeRag" in record ? { nativeRag: record.nativeRag ? "on" : "" } : {}),
    ...("maxSteps" in record
      ? { maxSteps: String(record.maxSteps), description: record.description }
      : {}),
  });
}

/** The body that the API takes, from what was typed. */
export function bodyIn(form: Form, kind: Kind) {
  const number = (field: string) => (form.text(field) === "" ? null : numberOf(form.text(field)));
  return {
    name: form.text("name"),
    systemPrompt: form.exact("systemPrompt"),
    model: form.text("model"),
    rags: [...form.all("rags"), ...moreIn(form, "rags")],
    temperature: number("temperature"),
    maxOutputTokens: number("maxOutputTokens"),
    ...(kind === "inference"
      ? { nativeRag: form.text("nativeRag") === "on" }
      : {
          description: form.text("description"),
          maxSteps: numberOf(form.text("maxSteps")),
        }),
  };
}

type FieldsProps = {
  kind: Kind;
  state: FormState;
  isNew: boolean;
  rags: Choice[];
  models: string[];
};

export const ModelFields = ({ kind, state, isNew, rags, models }: FieldsProps) => (
  <>
    <TextField state={state} name="name" label="Name" required autofocus={isNew} />
    {kind === "agent" ? (
      <TextField state={state} name="description" label="What it is for" />
    ) : null}
    <TextArea state={state} name="systemPrompt" label="System prompt" rows={10} />
    <TextField
      state={state}
      name="model"
      label="Model"
      required
      hint={<Data>{`${modelsHint(models, "embedded/extractive")}.`}</Data>}
    />
    <RagChoices state={state} rags={rags} />
    {kind === "inference" ? (
      <Checkbox
        state={state}
        name="nativeRag"
        label="Search before asking the model"
        hint="Otherwise the model gets a search tool and decides for itself."
      />
    ) : (
      <TextField
        state={state}
        name="maxSteps"
        label="Steps at most"
        type="number"
        min={1}
        max={10}
      />
    )}
    <Rest state={state} isNew={isNew} />
  </>
);

/** What is seldom changed. */
const Rest = ({ state, isNew }: { state: FormState; isNew: boolean }) => (
  <details class="options" open={state.status !== 200}>
    <summary>{isNew ? "Identifier, temperature and length" : "Temperature and length"}</summary>
    {isNew ? (
      <TextField
        state={state}
        name="identifier"
        label="Identifier"
        hint="In the addresses of the API; it never changes. Without one it is made from the name."
      />
    ) : null}
    <div class="two">
      <TextField
        state={state}
        name="temperature"
        label="Temperature"
        type="number"
        min={0}
        max={2}
        step="any"
        hint="0 to 2; empty: the model's own."
      />
      <TextField
        state={state}
        name="maxOutputTokens"
        label="Length of the answer"
        type="number"
        min={1}
        hint="Tokens at most; empty: the model's own."
      />
    </div>
  </details>
);

/** RAGs that are linked but not among the first names stay choosable. */
const RagChoices = ({ state, rags }: { state: FormState; rags: Choice[] }) => {
  const known = new Set(rags.map(({ identifier }) => identifier));
  const others = state.all("rags").filter((identifier) => !known.has(identifier));
  const options = [
    ...rags.map(({ identifier, name }) => ({ value: identifier, label: name })),
    ...others.map((identifier) => ({ value: identifier, label: identifier })),
  ];
  if (options.length === 0) return null;
  return (
    <div class="long-choices">
      <Choices state={state} name="rags" label="RAGs" options={options} />
      <MoreChoices state={state} group="rags" choices={rags} />
    </div>
  );
};
