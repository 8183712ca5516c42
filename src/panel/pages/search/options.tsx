import { BUILT_IN_MODELS } from "../../../ports/models.ts";
import { PromptField } from "../../components/choice-fields.tsx";
import { ForAdmins } from "../../components/data.tsx";
import { Checkbox, SelectField, TextArea, TextField, field } from "../../components/form.tsx";
import type { FormState } from "../../components/form.tsx";
import type { Model } from "../answers/model-list.tsx";
import { NO_RERANKER, keyOf, needsSearchFirst, type Target } from "./search-settings.ts";

type OptionsProps = {
  state: FormState;
  /** Before the names of the fields: "" or `SECOND`. */
  prefix: string;
  target: Target;
  rerankers: string[];
};

const MODES = [
  { value: "hybrid", label: "Words and meaning (hybrid)" },
  { value: "semantic", label: "Meaning only (semantic)" },
  { value: "keyword", label: "Words only (keyword)" },
];

export const SearchModeField = (props: { state: FormState; prefix: string; own: string }) => (
  <SelectField
    {...field(props.state, `${props.prefix}searchMode`, "Search by")}
    options={[{ value: "", label: props.own }, ...MODES]}
  />
);

export const Options = (props: OptionsProps) => {
  const { target } = props;
  return (
    <>
      {needsSearchFirst(target) ? <SearchOptions {...props} /> : null}
      <ForAdmins>
        {target.kind === "rag" ? null : <ModelOptions {...props} model={target} />}
        <TextField
          {...field(props.state, `${props.prefix}reader`, "Search as")}
          type="email"
          placeholder="ann@example.com"
          hint="Finds only what this person may read, where permissions are on."
        />
        <TextField
          {...field(props.state, `${props.prefix}groups`, "Groups of this person")}
          placeholder="hr@example.com, staff@example.com"
          hint="In addition to the groups that the source knows."
        />
      </ForAdmins>
    </>
  );
};

const ModelOptions = ({ state, prefix, model }: OptionsProps & { model: Model }) => {
  const { systemPrompt, model: name } = model.record;
  const isTried = state.text(`${prefix}promptOf`) === keyOf(model);
  const prompt = isTried ? state.text(`${prefix}systemPrompt`) : systemPrompt;
  return (
    <>
      <input type="hidden" name={`${prefix}promptOf`} value={keyOf(model)} />
      <PromptField
        state={{ ...state, text: () => prompt }}
        name={`${prefix}systemPrompt`}
        model={state.text(`${prefix}model`) || name}
        hint="Tried here only. Programs get it after you save it."
      />
      <TextField
        {...field(state, `${prefix}model`, "Language model")}
        placeholder={name}
        hint="Tried here only."
      />
      {model.kind === "agent" ? null : (
        <TextArea
          {...field(state, `${prefix}jsonSchema`, "JSON Schema of the answer")}
          rows={2}
          mono
          hint="Leave empty for text."
        />
      )}
    </>
  );
};

const SearchOptions = ({ state, prefix, target, rerankers }: OptionsProps) => {
  const field = (name: string, label: string) => ({ state, name: prefix + name, label });
  const models = [...rerankers, BUILT_IN_MODELS.reranker, state.text(`${prefix}reranker`)];
  const modelNames = [...new Set(models)].filter((model) => model !== "" && model !== NO_RERANKER);
  return (
    <div class="option-grid">
      <TextField {...field("topK", "Passages")} type="number" min={1} max={100} placeholder="5" />
      <SearchModeField state={state} prefix={prefix} own="The RAG's setting" />
      {target.kind === "rag" ? (
        <SelectField
          {...field("reranker", "Reranker")}
          options={[
            { value: "", label: "The RAG's setting" },
            { value: NO_RERANKER, label: "None" },
            ...modelNames.map((model) => ({ value: model, label: model })),
          ]}
        />
      ) : null}
      <TextField
        {...field("candidateMultiplier", "Candidates per passage")}
        type="number"
        min={2}
        max={10}
        placeholder="2"
      />
      <TextField
        {...field("similarityThreshold", "Minimum similarity")}
        type="number"
        min={0}
        max={1}
        step="any"
        placeholder="0"
      />
      <Checkbox {...field("useReranking", "Rerank")} hint="If the RAG has a reranker." />
      <Checkbox {...field("includeDuplicates", "Include duplicate passages")} />
      <TextArea
        {...field("selectedFiles", "Only these files")}
        rows={2}
        hint="One path or external id a line."
      />
      <TextArea {...field("selectedFolders", "Only these folders")} rows={2} hint="One a line." />
      <TextField {...field("modifiedAfter", "Only files changed since")} type="date" />
      <TextField {...field("modifiedBefore", "Only files changed before")} type="date" />
      <TextArea
        {...field("providerFilter", "Only files with this metadata")}
        rows={2}
        hint="One field a line: labels = contract, lease"
      />
    </div>
  );
};
