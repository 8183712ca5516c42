import type { z } from "zod";

import { isObject } from "../../../core/is-object.ts";
import { settingFields, type SettingField } from "../../../core/input/setting-fields.ts";
import { valueAt } from "../../../sources/source-secrets.ts";
import { chosenIn } from "../../components/choice-fields.tsx";
import { numberOf } from "./form.ts";
import { formName, freshForm, OTHER_MODEL, type Form } from "../../components/form-state.ts";

/** `prefix`: what the names of the form's fields begin with. */
type BodyOptions = { isPatch?: boolean; prefix?: string };

/** An empty field is null, else the default; with `isPatch` refused where it is required. */
export function bodyIn(
  form: Form,
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

function valueIn(form: Form, field: SettingField, { isPatch, prefix }: Required<BodyOptions>) {
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

function listIn(form: Form, name: string, isPatch: boolean): string[] | undefined {
  const names = chosenIn(form, name);
  return names.length === 0 && !isPatch ? undefined : names;
}

function emptyValue({ isSecret, isNullable, meta }: SettingField, isPatch: boolean) {
  if (isNullable) return null;
  return isPatch && !isSecret && meta.input !== "password" ? "" : undefined;
}

function textOf(setting: unknown, { kind, fallback, isSecret }: SettingField): string | string[] {
  if (isSecret) return "";
  if (kind === "flag") return (setting ?? fallback) === true ? "on" : "";
  if (Array.isArray(setting)) return setting.map(String).join("\n");
  return typeof setting === "string" || typeof setting === "number" ? String(setting) : "";
}

/** A form with the fields of a schema that have a label, but for those `without`. */
export function declaredForm<Settings extends z.ZodType<object>>(
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
    body: (form: Form) => bodyIn(form, fields),
    /** The body of a change: an empty field empties it. */
    patch: (form: Form) => bodyIn(form, fields, { isPatch: true }),
    /** The form's values of stored settings, never a secret, and of the fields in addition. */
    state: (settings: object = {}, extras: Record<string, string | string[]> = {}) => {
      const values = fields.map((field) => [
        formName(field),
        textOf(valueAt(settings, field.path), field),
      ]);
      return freshForm({ ...Object.fromEntries(values), ...extras });
    },
  };
}
