import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import { literalsOf, type SourceManifest } from "../../../sources/source-manifest.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { freshForm, numberOf, typed, type Form, type FormState } from "../request/form.ts";
import { bodyIn, formName, formValues, shownFields } from "../request/setting-form.ts";
import { SelectField } from "../../components/form.tsx";

export const configFields = ({ config }: SourceManifest) => shownFields(config, ["config"]);

/** The names of all fields of a manifest's form. */
export const fieldsOf = (manifest: SourceManifest) => [
  "name",
  "identifier",
  "scanIntervalMinutes",
  ...configFields(manifest).map(formName),
];

/** The body of `POST /panel/api/file-sources` that a form means. */
export const newSourceBody = (form: Form, manifest: SourceManifest) => ({
  ...sourceChangeBody(form, manifest),
  identifier: typed(form.text("identifier")),
  provider: manifest.provider,
});

/** The body of the change that a form means; an empty secret keeps the one that is stored. */
export function sourceChangeBody(form: Form, manifest: SourceManifest) {
  const { config = {} } = bodyIn(form, configFields(manifest));
  return {
    name: form.text("name"),
    scanIntervalMinutes: form.has("scanIntervalMinutes")
      ? numberOf(form.text("scanIntervalMinutes"))
      : undefined,
    config: Object.assign(Object.fromEntries(literalsOf(manifest)), config),
  };
}

export const freshSource = (manifest: SourceManifest): FormState =>
  freshForm({ scanIntervalMinutes: "360", ...formValues(configFields(manifest)) });

export const formOfSource = ({ source }: SourceWithScan): FormState =>
  freshForm({
    name: source.name,
    scanIntervalMinutes: String(source.scanIntervalMinutes),
    ...formValues(configFields(manifestOf(source)), source),
  });

const INTERVALS = [
  { value: "15", label: "every 15 minutes" },
  { value: "60", label: "every hour" },
  { value: "360", label: "every 6 hours" },
  { value: "1440", label: "every day" },
  { value: "10080", label: "every week" },
  { value: "0", label: "on request only" },
];

type IntervalProps = { state: FormState; manifest: SourceManifest };

/** How often it is looked at; a folder that is pushed needs no looking. */
export const IntervalField = ({ state, manifest }: IntervalProps) =>
  manifest.open === null ? null : (
    <SelectField
      state={state}
      name="scanIntervalMinutes"
      label="Look for changes"
      options={INTERVALS}
    />
  );
