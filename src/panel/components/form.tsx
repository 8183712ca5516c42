import type { Child, JSX } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { QuarryError } from "../../core/errors.ts";
import type { SettingField } from "../../core/input/setting-fields.ts";

export type FormProps = {
  action: string;
  state: FormState;
  submit: string;
  /** Where leaving without saving leads; null: nowhere. */
  cancel?: string | null;
  dangerous?: boolean;
  /** When the stored record last changed. */
  shown?: number | undefined;
  /** Whether files go along; then `multipartOf` reads the form. */
  hasFiles?: boolean;
  /** For fields in two columns. */
  isWide?: boolean;
  /** Buttons next to the one that submits. */
  buttons?: Child;
  children?: Child;
};

/** A form that posts; its fields read what was typed, and what is wrong, from `state`. */
export const Form = (props: FormProps) => (
  <form
    method="post"
    action={props.action}
    class={props.isWide === true ? "form full" : "form"}
    enctype={props.hasFiles === true ? "multipart/form-data" : undefined}
  >
    <FormMessage state={props.state} />
    {props.shown === undefined ? null : (
      <input type="hidden" name={UPDATED_AT} value={props.shown} />
    )}
    {props.children}
    <p class="submit">
      <button class={props.dangerous === true ? "btn danger" : "btn primary"}>
        {props.submit}
      </button>
      {props.buttons}
      {props.cancel == null ? null : <a href={props.cancel}>Cancel</a>}
    </p>
  </form>
);

export const FormMessage = ({ state }: { state: FormState }) => {
  if (state.status === 200) return null;
  return (
    <p class="notice bad" role="alert">
      {state.message ?? "Nothing was saved: see the marked fields."}
    </p>
  );
};

type FieldProps = {
  state: FormState;
  /** The field's path in the body that the API takes. */
  name: string;
  label: string;
  hint?: Child;
};

/** Properties of every field; `name` is its path in the body that the API takes. */
export const field = (state: FormState, name: string, label: string) => ({ state, name, label });

function controlOf({ state, name, hint }: FieldProps) {
  const id = idOf(name);
  const problem = state.problem(name);
  const described = [
    ...(problem === null ? [] : [`${id}-problem`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return {
    id,
    name,
    "aria-describedby": described.length === 0 ? undefined : described.join(" "),
    "aria-invalid": problem === null ? undefined : "true",
  } as const;
}

const idOf = (name: string) => `field-${name.replaceAll(/[^a-zA-Z0-9]/g, "-")}`;

const Remarks = ({ id, state, name, label, hint }: FieldProps & { id?: string }) => {
  const problem = state.problem(name);
  return (
    <>
      {problem === null ? null : (
        <span class="problem" id={id && `${id}-problem`}>
          {sentenceOf(label, problem)}
        </span>
      )}
      {hint === undefined ? null : (
        <span class="hint" id={id && `${id}-hint`}>
          {hint}
        </span>
      )}
    </>
  );
};

const Labelled = (props: FieldProps & { children: Child }) => {
  const { state, name, label, children } = props;
  const id = idOf(name);
  return (
    <div class={state.problem(name) === null ? "field" : "field failed"}>
      <label for={id}>{label}</label>
      {children}
      <Remarks {...props} id={id} />
    </div>
  );
};

/** "Name is required", "there is no RAG staff". */
const sentenceOf = (label: string, problem: string) =>
  problem.startsWith(": ") ? problem.slice(2) : `${label} ${problem}`;

type InputAttributes = Pick<
  JSX.IntrinsicElements["input"],
  | "type"
  | "required"
  | "autocomplete"
  | "placeholder"
  | "min"
  | "max"
  | "step"
  | "list"
  | "autofocus"
>;
type InputProps = FieldProps &
  InputAttributes & {
    /** A password that proved right is kept while the form waits for a code. */
    keepsPassword?: boolean;
    /** The parameter of the page's address that the script sets to what is typed. */
    "data-look"?: string;
    /** Only digits are expected: phones show their keys. */
    numeric?: boolean;
  };

export const TextField = ({ keepsPassword = false, numeric = false, ...rest }: InputProps) => {
  const { state, name, label, hint, type = "text", ...attributes } = rest;
  return (
    <Labelled {...rest}>
      <input
        autocomplete="off"
        {...attributes}
        {...controlOf({ state, name, label, hint })}
        type={type}
        value={type === "password" && !keepsPassword ? "" : state.text(name)}
        dir={type === "text" || type === "search" ? "auto" : undefined}
        inputmode={numeric ? "numeric" : undefined}
      />
    </Labelled>
  );
};

/** `secret`: what was typed is not sent back. */
export const TextArea = (
  props: FieldProps & { rows?: number; required?: boolean; mono?: boolean; secret?: boolean },
) => (
  <Labelled {...props}>
    <textarea
      {...controlOf(props)}
      class={props.mono === true ? "mono" : undefined}
      rows={props.rows ?? 4}
      dir="auto"
      required={props.required}
      spellcheck={props.mono !== true && props.secret !== true}
    >
      {/* A line break right after the tag is not content for a browser. */}
      {props.secret === true ? "" : `\n${props.state.text(props.name)}`}
    </textarea>
  </Labelled>
);

/** One file; browsers never show again what was chosen before. */
export const FileField = (props: FieldProps & { accept: string }) => (
  <Labelled {...props}>
    <input {...controlOf(props)} type="file" accept={props.accept} />
  </Labelled>
);

export type Option = { value: string; label: string };

export const OptionList = (props: { options: readonly Option[]; chosen: string }) => (
  <>
    {props.options.map(({ value, label }) => (
      <option value={value} selected={value === props.chosen}>
        {label}
      </option>
    ))}
  </>
);

export const SelectField = (props: FieldProps & { options: readonly Option[] }) => {
  const chosen = props.state.text(props.name);
  const isOption = props.options.some(({ value }) => value === chosen);
  return (
    <Labelled {...props}>
      <select {...controlOf(props)}>
        {isOption || chosen === "" ? null : (
          <option value={chosen} selected>
            {chosen}
          </option>
        )}
        <OptionList options={props.options} chosen={chosen} />
      </select>
    </Labelled>
  );
};

/** One box: sent as `on` when it is ticked. */
export const Checkbox = ({ state, name, label, hint }: FieldProps) => {
  const control = controlOf({ state, name, label, hint });
  return (
    <div class="field check">
      <input {...control} type="checkbox" checked={state.text(name) === "on"} />
      <label for={control.id}>{label}</label>
      <Remarks {...{ state, name, label, hint }} id={control.id} />
    </div>
  );
};

type ChoicesProps = FieldProps & { options: readonly Option[]; kind?: "checkbox" | "radio" };

/** Several boxes, or one of several, under one legend; all are sent by the same name. */
export const Choices = ({ state, name, label, hint, options, kind = "checkbox" }: ChoicesProps) => {
  const values = new Set(state.valuesOf(name));
  return (
    <fieldset class={state.problem(name) === null ? "field choices" : "field choices failed"}>
      <legend>{label}</legend>
      {options.map(({ value, label: text }) => (
        <label class="choice">
          <input type={kind} name={name} value={value} checked={values.has(value)} />
          <bdi class="data">{text}</bdi>
        </label>
      ))}
      <Remarks {...{ state, name, label, hint }} />
    </fieldset>
  );
};

/** The typed values. A field's name is its path in the body that the API takes. */
export type FormValues = ReturnType<typeof formFrom>;

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
  valuesOf: (field: string) => string[];
  /** The fault of a field; null: none. */
  problem: (field: string) => string | null;
  /** The fault of the form as a whole; null: none. */
  message: string | null;
  /** The refusal's code, if it has one. */
  code: QuarryError["code"];
};

/** A form that nobody has sent yet. A list is for checkboxes. */
export function freshForm(values: Record<string, string | string[]> = {}): FormState {
  const valuesOf = (field: string) => [values[field] ?? []].flat();
  return {
    status: 200,
    text: (field) => valuesOf(field)[0] ?? "",
    valuesOf,
    problem: () => null,
    message: null,
    code: null,
  };
}

/** A choice that says: the field named `….other` holds it. */
export const OTHER_MODEL = "other";

/** The hidden field with the state of a record that a form shows. */
export const UPDATED_AT = "updatedAt";

/** A setting's name in a form: its path in the body that the API takes. */
export const formName = ({ path }: SettingField) => path.join(".");
