import type { Child } from "hono/jsx";

import type { SettingField } from "../../core/input/setting-fields.ts";
import { Checkbox, Form, SelectField, TextArea, TextField, type FormProps } from "./form.tsx";
import { valueAt } from "../../sources/source-secrets.ts";
import { Data } from "./data.tsx";
import { count } from "./figures.ts";
import { type FormState, formName } from "./form-state.ts";

type Props = {
  fields: readonly SettingField[];
  state: FormState;
  /** Whether they are stored, so that an empty secret keeps the stored one. */
  isStored: boolean;
  /** Whether the form is what its page is for; the first field then takes the focus. */
  takesFocus?: boolean;
  /** Controls in place of those that follow from the field, by its name. */
  controls?: Record<string, Child>;
};

/** A form of settings, and what follows them in it. */
export const SettingForm = (props: FormProps & Omit<Props, "isStored" | "takesFocus">) => (
  <Form {...props}>
    <SettingFields
      {...props}
      isStored={props.shown !== undefined}
      takesFocus={props.cancel !== undefined}
    />
    {props.children}
  </Form>
);

const KEPT = "Stored and never shown. Leave it empty to keep it.";
const LIST_ROWS = 2;

export const SettingFields = ({
  fields,
  state,
  isStored,
  takesFocus = false,
  controls = {},
}: Props) => {
  const secret = fields.find(({ isSecret }) => isSecret);
  const fieldOf = (field: SettingField) => {
    const name = formName(field);
    if (name in controls) return controls[name];
    const usual = defaultOf(field);
    const hintText = isStored && field === secret ? KEPT : field.meta.hint;
    const hint =
      usual === null ? (
        hintText
      ) : (
        <>
          {hintText} Default: {usual}.
        </>
      );
    const isRequired = field.isRequired && !(isStored && field.isSecret);
    const isFirst = takesFocus && !isStored && field === fields[0];
    return <Field {...{ field, state, hint, isRequired, isFirst }} />;
  };
  const rows = (some: readonly SettingField[]) =>
    runsBy(some, ({ meta }) => meta.isHalf).map((run) =>
      run[0]?.meta.isHalf === true ? <div class="two">{run.map(fieldOf)}</div> : run.map(fieldOf),
    );
  return (
    <>
      {runsBy(fields, ({ meta }) => meta.folded).map((run) =>
        run[0]?.meta.folded === undefined ? (
          runsBy(run, ({ meta }) => meta.group).map((group) => (
            <Group name={group[0]?.meta.group}>{rows(group)}</Group>
          ))
        ) : (
          <details class="options" open={state.status !== 200}>
            <summary>{run[0].meta.folded}</summary>
            {rows(run)}
          </details>
        ),
      )}
    </>
  );
};

const Group = ({ name, children }: { name: string | undefined; children?: Child }) =>
  name === undefined ? (
    <>{children}</>
  ) : (
    <fieldset class="group">
      <legend>{name}</legend>
      {children}
    </fieldset>
  );

/** The value that applies when nothing is chosen, in the form's words; null: nothing, or none. */
function defaultOf({ fallback, meta }: SettingField): string | null {
  if (typeof fallback === "boolean") return fallback ? "on" : "off";
  if (typeof fallback === "number") return String(fallback);
  return typeof fallback === "string" ? (meta.choices?.[fallback] ?? null) : null;
}

/** Items that follow each other and have the same key, together. */
function runsBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && keyOf(last[0]) === keyOf(item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

type FieldProps = {
  field: SettingField;
  state: FormState;
  hint: Child;
  isRequired: boolean;
  isFirst: boolean;
};

const Field = ({ field, state, hint, isRequired, isFirst }: FieldProps) => {
  const { kind, meta, isSecret, fallback } = field;
  const { label = "", rows = LIST_ROWS, input } = meta;
  const attributes = { state, name: formName(field), label, hint };
  if (kind === "flag") return <Checkbox {...attributes} />;
  if (kind === "choice") return <SelectField {...attributes} options={optionsOf(field)} />;
  if (kind === "list" || meta.rows !== undefined) {
    return (
      <TextArea
        {...attributes}
        rows={rows}
        required={isRequired}
        mono={isSecret}
        secret={isSecret}
      />
    );
  }
  return (
    <TextField
      {...attributes}
      {...boundsOf(field)}
      type={input ?? (field.min === null ? "text" : "number")}
      numeric={kind === "number"}
      placeholder={typeof fallback === "number" ? String(fallback) : meta.placeholder}
      autocomplete={meta.autocomplete ?? (input === "password" ? "new-password" : "off")}
      required={isRequired}
      autofocus={isFirst}
    />
  );
};

const optionsOf = ({ choices, meta }: SettingField) =>
  (choices ?? []).map((value) => ({ value, label: meta.choices?.[value] ?? value }));

const boundsOf = ({ min, max, isInteger }: SettingField) =>
  min === null
    ? {}
    : { min, ...(max === null ? {} : { max }), ...(isInteger ? {} : { step: "any" }) };

/** Settings as labels and values, for pages where they cannot be changed. */
export const settingFacts = (fields: readonly SettingField[], settings: object) =>
  Object.fromEntries(
    fields.map(({ meta, path }) => [
      meta.label ?? path.join("."),
      textOf(valueAt(settings, path), meta.choices),
    ]),
  );

function textOf(value: unknown, choices: Record<string, string> = {}): Child {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return choices[text] ?? <Data>{text}</Data>;
}
