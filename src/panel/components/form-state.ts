import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { QuarryError } from "../../core/errors.ts";
import type { SettingField } from "../../core/input/setting-fields.ts";

/** The typed values. A field's name is its path in the body that the API takes. */
export type Form = ReturnType<typeof formFrom>;

export const formFrom = (values: URLSearchParams) => ({
  /** The field's text without surrounding white space; empty when it was not sent. */
  text: (field: string) => (values.get(field) ?? "").trim(),
  /** The value as it was typed: passwords and prompts. Browsers send line breaks as CR LF. */
  exact: (field: string) => (values.get(field) ?? "").replaceAll("\r\n", "\n"),
  /** All values of a field that may be sent more than once: checkboxes. */
  all: (field: string) => values.getAll(field),
  /** The lines of all of them, without surrounding white space and empty ones. */
  lines: (field: string) =>
    values
      .getAll(field)
      .flatMap((value) => value.split("\n"))
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  has: (field: string) => values.has(field),
});

/** A form as it is shown: what its fields hold, and what is wrong with them. */
export type FormState = {
  status: ContentfulStatusCode;
  text: (field: string) => string;
  all: (field: string) => string[];
  /** The fault of a field; null: none. */
  problem: (field: string) => string | null;
  /** The fault of the form as a whole; null: none. */
  message: string | null;
  /** The refusal's code, if it has one. */
  code: QuarryError["code"];
};

/** A form that nobody has sent yet. A list is for checkboxes. */
export function freshForm(values: Record<string, string | string[]> = {}): FormState {
  const all = (field: string) => [values[field] ?? []].flat();
  return {
    status: 200,
    text: (field) => all(field)[0] ?? "",
    all,
    problem: () => null,
    message: null,
    code: null,
  };
}

/** A choice that says: the field named `….other` holds it. */
export const OTHER_MODEL = "other";

/** The hidden field that tells which state of a record a form shows. */
export const UPDATED_AT = "updatedAt";

/** A setting's name in a form: its path in the body that the API takes. */
export const formName = ({ path }: SettingField) => path.join(".");

/** A number as the API wants it; other text stays text, so that the check refuses it. */
export function numberOf(text: string): number | string {
  const number = Number(text);
  return text === "" || !Number.isFinite(number) ? text : number;
}
