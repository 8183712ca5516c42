import type { SourceManifest } from "../../../sources/source-manifest.ts";
import { SelectField } from "../../components/form.tsx";
import type { FormState } from "../request/form.ts";

const INTERVALS = [
  { value: "15", label: "every 15 minutes" },
  { value: "60", label: "every hour" },
  { value: "360", label: "every 6 hours" },
  { value: "1440", label: "every day" },
  { value: "10080", label: "every week" },
  { value: "0", label: "on request only" },
];

/** How often it is looked at; a folder that is pushed needs no looking. */
export const IntervalField = ({
  state,
  manifest,
}: {
  state: FormState;
  manifest: SourceManifest;
}) =>
  manifest.open === null ? null : (
    <SelectField
      state={state}
      name="scanIntervalMinutes"
      label="Look for changes"
      options={INTERVALS}
    />
  );
