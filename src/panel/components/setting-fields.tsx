import type { Child } from "hono/jsx";
import type { z } from "zod";

import { settingFields, type SettingField } from "../../core/input/setting-fields.ts";
import { isObject } from "../../core/is-object.ts";
import { valueAt } from "../../sources/source-secrets.ts";
import { choicesIn } from "./choice-fields.tsx";
import { Data } from "./data.tsx";
import { count } from "./figures.ts";
import { Checkbox, Form, SelectField, TextArea, TextField, formName, freshForm } from "./form.tsx";
import { OTHER_MODEL, type FormProps, type FormValues, type FormState } from "./form.tsx";

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
    groupRuns(some, ({ meta }) => meta.isHalf).map((run) =>
      run[0]?.meta.isHalf === true ? <div class="two">{run.map(fieldOf)}</div> : run.map(fieldOf),
    );
  return (
    <>
      {groupRuns(fields, ({ meta }) => meta.folded).map((run) =>
        run[0]?.meta.folded === undefined ? (
          groupRuns(run, ({ meta }) => meta.group).map((group) => (
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
function groupRuns<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
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

/** `prefix`: what the names of the form's fields begin with. */
type BodyOptions = { isPatch?: boolean; prefix?: string };

/** An empty field is null, else the default; with `isPatch` refused where it is required. */
export function bodyIn(
  form: FormValues,
  fields: readonly SettingField[],
  { isPatch = false, prefix = "" }: BodyOptions = {},
) {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueIn(form, field, { isPatch, prefix });
    if (value !== undefined) setAt(body, field.path, value);
  }
  return body;
}

function setAt(into: Record<string, unknown>, [name = "", ...inner]: string[], value: unknown) {
  if (inner.length === 0) {
    into[name] = value;
    return;
  }
  const part = { ...(isObject(into[name]) ? into[name] : {}) };
  into[name] = part;
  setAt(part, inner, value);
}

function valueIn(
  form: FormValues,
  field: SettingField,
  { isPatch, prefix }: Required<BodyOptions>,
) {
  const { kind, meta, isSecret } = field;
  const name = prefix + formName(field);
  const typed = form.text(name);
  const text = typed === OTHER_MODEL ? form.text(`${name}.other`) : typed;
  if (kind === "flag") return text === "on";
  if (kind === "list") return listIn(form, name, isPatch);
  if (kind === "text" && meta.rows !== undefined && !isSecret) return form.exact(name);
  if (meta.input === "password" && text !== "") return form.exact(name);
  if (text === "") return emptyValue(field, isPatch);
  if (kind === "number") return numberOf(text);
  return isSecret ? form.exact(name).trim() : text;
}

function listIn(form: FormValues, name: string, isPatch: boolean): string[] | undefined {
  const names = choicesIn(form, name);
  return names.length === 0 && !isPatch ? undefined : names;
}

function emptyValue({ isSecret, isNullable, meta }: SettingField, isPatch: boolean) {
  if (isNullable) return null;
  return isPatch && !isSecret && meta.input !== "password" ? "" : undefined;
}

function formText(setting: unknown, { kind, fallback, isSecret }: SettingField): string | string[] {
  if (isSecret) return "";
  if (kind === "flag") return (setting ?? fallback) === true ? "on" : "";
  if (Array.isArray(setting)) return setting.map(String).join("\n");
  return typeof setting === "string" || typeof setting === "number" ? String(setting) : "";
}

/** A form with the fields of a schema that have a label, but for those `without`. */
export function formOfSettings<Settings extends z.ZodType<object>>(
  settings: Settings,
  without: readonly string[] = [],
) {
  const fields = settingFields(settings).filter(
    (field) => field.meta.label !== undefined && !without.includes(formName(field)),
  );
  return {
    fields,
    names: fields.map(formName),
    /** The body of the API that the form means. */
    body: (form: FormValues) => bodyIn(form, fields),
    /** The body of a change: an empty field empties it. */
    patch: (form: FormValues) => bodyIn(form, fields, { isPatch: true }),
    /** The form's values of stored settings, never a secret, and of the fields in addition. */
    state: (settings: object = {}, extras: Record<string, string | string[]> = {}) => {
      const values = fields.map((field) => [
        formName(field),
        formText(valueAt(settings, field.path), field),
      ]);
      return freshForm({ ...Object.fromEntries(values), ...extras });
    },
  };
}

/** A number as the API wants it; other text stays text, so that the check refuses it. */
export function numberOf(text: string): number | string {
  const number = Number(text);
  return text === "" || !Number.isFinite(number) ? text : number;
}
