import { omitUndefined } from "../../../core/input/omit-undefined.ts";
import { settingShape, type RunSetting } from "../../../core/input/run-setting.ts";
import { settingFields } from "../../../core/input/setting-fields.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { Checkbox, SelectField, TextField, type Option, field } from "../../components/form.tsx";
import type { FormValues, FormState } from "../../components/form.tsx";
import { bodyIn } from "../../components/setting-fields.tsx";
import { SearchModeField } from "../search/options.tsx";
import { NO_RERANKER, SECOND } from "../search/search-settings.ts";

const NAMES = Object.keys(settingShape.shape);

export const SETTING_FIELDS = [...NAMES, ...NAMES.map((name) => SECOND + name)];

/** The setting that a form asks for; what was left empty stays as the resource has it. */
export function settingIn(form: FormValues, prefix: string): RunSetting {
  const body = bodyIn(form, settingFields(settingShape), { prefix });
  const entries = Object.entries(body).filter(([, value]) => value !== false && value !== null);
  const without = form.text(`${prefix}reranker`) === NO_RERANKER ? { reranker: null } : {};
  return omitUndefined(
    parseKnownOrRefuse(settingShape, { ...Object.fromEntries(entries), ...without }),
  );
}

type FieldsProps = {
  state: FormState;
  prefix: string;
  kind: "rag" | "inference";
  targets: readonly Option[];
};

export const SettingFields = ({ state, prefix, kind, targets }: FieldsProps) => (
  <>
    <SelectField
      {...field(state, `${prefix}target`, kind === "rag" ? "RAG" : "Inference")}
      options={[{ value: "", label: "As in the set" }, ...targets]}
    />
    {kind === "rag" ? null : (
      <TextField state={state} name={`${prefix}model`} label="Chat model" placeholder="its own" />
    )}
    <div class="two">
      <TextField state={state} name={`${prefix}topK`} label="Passages" type="number" min={1} />
      <SearchModeField state={state} prefix={prefix} own="current setting" />
    </div>
    <div class="two">
      <TextField
        {...field(state, `${prefix}reranker`, "Reranker")}
        placeholder="current setting"
        hint={
          <>
            <code>{NO_RERANKER}</code> switches it off.
          </>
        }
      />
      <TextField state={state} name={`${prefix}similarityThreshold`} label="Minimum similarity" />
    </div>
    <Checkbox {...field(state, `${prefix}useReranking`, "Rerank with the RAG's own reranker")} />
  </>
);

/** Settings and facts of a run as people read them. */
export const FACT_NAMES: Record<string, string> = {
  missingFiles: "Files not in the index",
  embeddingModel: "Embedding model",
  chunkSize: "Passage size",
  chunkOverlap: "Passage overlap",
  reranker: "Reranker",
  searchMode: "Search by",
  topK: "Passages",
  candidateMultiplier: "Candidates per passage",
  includeDuplicates: "Duplicates",
  similarityThreshold: "Minimum similarity",
  useReranking: "Reranking",
  model: "Model",
  rag: "RAG",
  inference: "Inference",
  files: "Files",
  target: "Asks",
};

/** A setting in a line: "passages 20, reranking on". */
export function settingInWords(setting: RunSetting): string {
  const words = Object.entries(setting).map(([name, value]) => {
    const text = typeof value === "boolean" ? (value ? "on" : "off") : String(value ?? "none");
    return `${(FACT_NAMES[name] ?? name).toLowerCase()} ${text}`;
  });
  return words.length === 0 ? "current settings" : words.join(", ");
}
