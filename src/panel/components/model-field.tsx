import type { ModelChoice } from "../../catalog/models/model-choices.ts";
import { OTHER_MODEL, type FormState } from "../pages/request/form.ts";
import { SelectField, TextField } from "./form.tsx";
import { count } from "./figures.ts";

type Props = {
  state: FormState;
  name: string;
  label: string;
  choices: readonly ModelChoice[];
  /** What no model means; null: there must be one. */
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
        state={isOther ? untroubled : state}
        name={name}
        label={label}
        options={[
          ...(none === null ? [] : [{ value: "", label: none }]),
          ...choices.map((choice) => ({ value: choice.model, label: labelOf(choice) })),
          { value: OTHER_MODEL, label: "Another model …" },
        ]}
      />
      <TextField
        state={isOther ? ofOther : untroubled}
        name={`${name}.other`}
        label={`${label} by name`}
        hint="provider/name, such as local/llama3.2 or openai/gpt-6-luna."
      />
    </div>
  );
};

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
