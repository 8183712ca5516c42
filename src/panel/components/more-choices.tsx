import { CHOICES_MAX, type Choice } from "../../db/catalog/panel-lists.ts";
import type { Form, FormState } from "../pages/request/form.ts";
import { TextArea } from "./form.tsx";

const fieldOf = (group: string) => `${group}.more`;

/** Identifiers that were typed below a list of choices. */
export const moreIn = (form: Form, group: string): string[] =>
  form
    .text(fieldOf(group))
    .split(/[\s,]+/)
    .filter((identifier) => identifier !== "");

type MoreProps = { state: FormState; group: string; choices: readonly Choice[] };

/** A list of choices ends somewhere: what is not in it is typed. */
export const MoreChoices = ({ state, group, choices }: MoreProps) =>
  choices.length < CHOICES_MAX ? null : (
    <TextArea
      state={state}
      name={fieldOf(group)}
      label="Others, by identifier"
      rows={2}
      hint={`The list holds the first ${CHOICES_MAX}. One a line.`}
    />
  );
