import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Data } from "../../components/data.tsx";
import { count } from "../../components/figures.ts";
import { Facts } from "../../components/page-head.tsx";

/** For members: what is set. */
export const StoredModel = ({ record }: { record: InferenceRecord | AgentRecord }) => (
  <>
    <Facts
      facts={[
        ["Model", <Data mono>{record.model}</Data>],
        ["Temperature", record.temperature === null ? "the model’s own" : `${record.temperature}`],
        [
          "Length of the answer",
          record.maxOutputTokens === null
            ? "the model’s own"
            : `${count(record.maxOutputTokens)} tokens at most`,
        ],
        "maxSteps" in record
          ? ["Steps at most", count(record.maxSteps)]
          : ["Search", record.nativeRag ? "before asking the model" : "by the model, with a tool"],
      ]}
    />
    <h2>System prompt</h2>
    <CodeBlock label="System prompt" text={record.systemPrompt} />
    <p class="soft">An administrator may change the settings.</p>
  </>
);
