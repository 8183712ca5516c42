import { CHOICES_MAX, type Choice } from "../../db/catalog/panel-lists.ts";
import type { Form, FormState } from "../pages/request/form.ts";
import { Choices, TextArea } from "./form.tsx";

const fieldOf = (group: string) => `${group}.more`;

/** Identifiers that were ticked, and those that were typed below. */
export const chosenIn = (form: Form, group: string): string[] => [
  ...form.all(group),
  ...form
    .text(fieldOf(group))
    .split(/[\s,]+/)
    .filter((identifier) => identifier !== ""),
];

/** Named things as the options of a field. */
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
      state={state}
      name={group}
      label={label}
      options={[...optionsOf(choices), ...others.map((value) => ({ value, label: value }))]}
    />
    {choices.length < CHOICES_MAX ? null : (
      <TextArea
        state={state}
        name={fieldOf(group)}
        label="Others, by identifier"
        rows={2}
        hint={`The list holds the first ${CHOICES_MAX}. One a line.`}
      />
    )}
  </div>
);
