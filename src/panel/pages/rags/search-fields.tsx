import { CHUNK_SIZE_MAX, CHUNK_SIZE_MIN } from "../../../catalog/rags/rag-settings.ts";
import { listModelRows } from "../../../db/catalog/model-store.ts";
import type { Services } from "../../../services.ts";
import { Data } from "../../components/data.tsx";
import { modelsHint } from "../../components/more-choices.tsx";
import { SelectField, TextField } from "../../components/form.tsx";
import type { FormState } from "../request/form.ts";
import { BUILT_IN_RERANKER } from "../search/search-settings.ts";

type FieldsProps = { state: FormState; services: Pick<Services, "db"> };

/** How a RAG cuts documents and searches them. */
export const SearchFields = async ({ state, services }: FieldsProps) => {
  const models = await listModelRows(services.db);
  const rerankers = models.filter(({ kind }) => kind === "reranker").map(({ model }) => model);
  return (
    <>
      <div class="two">
        <TextField
          state={state}
          name="chunkSize"
          label="Passage length"
          type="number"
          min={CHUNK_SIZE_MIN}
          max={CHUNK_SIZE_MAX}
          hint="Tokens at most."
        />
        <TextField
          state={state}
          name="chunkOverlap"
          label="Overlap"
          type="number"
          min={0}
          max={CHUNK_SIZE_MAX}
          hint="Tokens repeated from the passage before; at most half."
        />
      </div>
      <SelectField
        state={state}
        name="searchMode"
        label="Search by"
        options={[
          { value: "hybrid", label: "Words and meaning (hybrid)" },
          { value: "semantic", label: "Meaning only (semantic)" },
        ]}
      />
      <TextField
        state={state}
        name="reranker"
        label="Reranker"
        hint={<Data>{`${modelsHint(rerankers, BUILT_IN_RERANKER)}; empty for none.`}</Data>}
      />
    </>
  );
};
