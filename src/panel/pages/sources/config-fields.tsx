import { Checkbox, SelectField, TextArea, TextField } from "../../components/form.tsx";
import type { ConfigField, SourceManifest } from "../../../sources/source-manifest.ts";
import type { FormState } from "../request/form.ts";
import { formName, shownFields } from "./config-form.ts";

type Props = {
  manifest: SourceManifest;
  state: FormState;
  /** Whether the source exists, so that an empty secret keeps the stored one. */
  isStored: boolean;
};

const KEPT = "Stored and never shown. Leave it empty to keep it.";
const LIST_ROWS = 2;

/** What a source needs to be found, as its manifest says. */
export const ConfigFields = ({ manifest, state, isStored }: Props) => {
  const fields = shownFields(manifest);
  const secret = fields.find(({ isSecret }) => isSecret);
  const one = (field: ConfigField) => {
    const hint = isStored && field === secret ? KEPT : field.meta.hint;
    const isRequired = field.isRequired && !(isStored && field.isSecret);
    return <Field field={field} state={state} hint={hint} isRequired={isRequired} />;
  };
  const rows = (some: ConfigField[]) =>
    runsBy(some, ({ meta }) => meta.isHalf).map((run) =>
      run[0]?.meta.isHalf === true ? <div class="two">{run.map(one)}</div> : run.map(one),
    );
  return (
    <>
      {runsBy(fields, ({ meta }) => meta.folded).map((run) =>
        run[0]?.meta.folded === undefined ? (
          rows(run)
        ) : (
          <details class="options">
            <summary>{run[0].meta.folded}</summary>
            {rows(run)}
          </details>
        ),
      )}
    </>
  );
};

/** Items that follow each other and have the same key, together. */
function runsBy<Item>(items: Item[], keyOf: (item: Item) => unknown): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && keyOf(last[0]) === keyOf(item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

type FieldProps = {
  field: ConfigField;
  state: FormState;
  hint: string | undefined;
  isRequired: boolean;
};

const Field = ({ field, state, hint, isRequired }: FieldProps) => {
  const { kind, meta, isSecret, fallback } = field;
  const { label = "", rows = LIST_ROWS, input } = meta;
  const of = { state, name: formName(field), label, hint };
  if (kind === "flag") return <Checkbox {...of} />;
  if (kind === "list" || meta.rows !== undefined) {
    return <TextArea {...of} rows={rows} required={isRequired} mono={isSecret} secret={isSecret} />;
  }
  return (
    <TextField
      {...of}
      type={input ?? "text"}
      numeric={kind === "number"}
      placeholder={typeof fallback === "number" ? String(fallback) : meta.placeholder}
      autocomplete={input === "password" ? "new-password" : "off"}
      required={isRequired}
    />
  );
};

const INTERVALS = [
  { value: "15", label: "every 15 minutes" },
  { value: "60", label: "every hour" },
  { value: "360", label: "every 6 hours" },
  { value: "1440", label: "every day" },
  { value: "10080", label: "every week" },
  { value: "0", label: "on request only" },
];

/** How often it is looked at; a folder that is pushed needs no looking. */
export const IntervalField = ({ state, manifest }: Omit<Props, "isStored">) =>
  manifest.open === null ? null : (
    <SelectField
      state={state}
      name="scanIntervalMinutes"
      label="Look for changes"
      options={INTERVALS}
    />
  );
