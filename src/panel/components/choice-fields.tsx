import type { ModelChoice } from "../../catalog/models/model-choices.ts";
import { MAX_CHOICES, type Choice } from "../../db/catalog/panel-lists.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import { count } from "./figures.ts";
import { SelectField, TextField, Choices, TextArea, field } from "./form.tsx";
import { OTHER_MODEL, type FormState, type FormValues } from "./form.tsx";

type Props = {
  state: FormState;
  name: string;
  label: string;
  choices: readonly ModelChoice[];
  /** The label of no model; null: there must be one. */
  none: string | null;
};

/** A model of those that are there, with price and context length, or another by its name. */
export const ModelField = ({ state, name, label, choices, none }: Props) => {
  const isOther = state.text(name) === OTHER_MODEL;
  const untroubled = { ...state, problem: () => null };
  const ofOther = { ...state, problem: () => state.problem(name) };
  return (
    <div class="model-field">
      <SelectField
        {...field(isOther ? untroubled : state, name, label)}
        options={[
          ...(none === null ? [] : [{ value: "", label: none }]),
          ...choices.map((choice) => ({ value: choice.model, label: labelOf(choice) })),
          { value: OTHER_MODEL, label: "Another model …" },
        ]}
      />
      <TextField
        {...field(isOther ? ofOther : untroubled, `${name}.other`, `${label} by name`)}
        hint="provider/name, such as local/llama3.2 or openai/gpt-6-luna."
      />
    </div>
  );
};

const PROMPT_ROWS = 8;

type PromptProps = Pick<Props, "state" | "name"> & {
  model: string;
  hint?: string;
  required?: boolean;
};

/** The instructions of a model, and whether it follows them. */
export const PromptField = ({ state, name, model, hint = "", required = false }: PromptProps) => (
  <TextArea
    {...field(state, name, "System prompt")}
    rows={PROMPT_ROWS}
    required={required}
    hint={
      model === BUILT_IN_MODELS.chat ? (
        <>
          {hint} The built-in model <code>{model}</code> only quotes passages and ignores this
          prompt. <a href="/panel/settings/models">Add a language model</a> to use it.
        </>
      ) : (
        hint
      )
    }
  />
);

function labelOf({ model, price, contextTokens }: ModelChoice): string {
  const figures = [
    ...(price === null ? [] : [priceOf(price)]),
    ...(contextTokens === null ? [] : [`${count(contextTokens)} tokens of context`]),
  ];
  return figures.length === 0 ? model : `${model} (${figures.join(", ")})`;
}

function priceOf({ input, output, currency }: NonNullable<ModelChoice["price"]>): string {
  if (input === 0 && output === 0) return "free";
  const amounts = output === 0 ? String(input) : `${input} in and ${output} out`;
  return `${amounts} ${currency} per million tokens`;
}

const fieldOf = (group: string) => `${group}.more`;

/** Resources that a token or a program may use, in the words of the API and of people. */
export const GROUPS = [
  { group: "rags", kind: "rag", label: "RAGs", which: "Which RAGs" },
  { group: "inferences", kind: "inference", label: "Inferences", which: "Which inferences" },
  { group: "agents", kind: "agent", label: "Agents", which: "Which agents" },
] as const;

/** Identifiers that were ticked, and those that were typed below. */
export const choicesIn = (form: FormValues, group: string): string[] => [
  ...form.lines(group),
  ...form
    .text(fieldOf(group))
    .split(/[\s,]+/)
    .filter((identifier) => identifier !== ""),
];

export const optionsOf = (choices: readonly Pick<Choice, "identifier" | "name">[]) =>
  choices.map(({ identifier, name }) => ({ value: identifier, label: name }));

type LongProps = {
  state: FormState;
  group: string;
  label: string;
  choices: readonly Choice[];
  /** Ticked ones that are not among the choices. */
  others?: string[];
};

/** Boxes to tick. The list ends somewhere: what is not in it is typed. */
export const LongChoices = ({ state, group, label, choices, others = [] }: LongProps) => (
  <div class="long-choices">
    <Choices
      {...field(state, group, label)}
      options={[...optionsOf(choices), ...others.map((value) => ({ value, label: value }))]}
    />
    {choices.length < MAX_CHOICES ? null : (
      <TextArea
        {...field(state, fieldOf(group), "Others, by identifier")}
        rows={2}
        hint={`The list holds the first ${MAX_CHOICES}. One a line.`}
      />
    )}
  </div>
);
