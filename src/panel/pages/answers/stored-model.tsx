import type { AgentRecord, InferenceRecord } from "../../../db/records.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Facts } from "../../components/page-head.tsx";
import { settingFacts } from "../../components/setting-facts.tsx";
import { formName } from "../request/setting-form.ts";
import { fieldsOf } from "./model-fields.tsx";
import type { Kind } from "./model-list.tsx";

/** Shown elsewhere on the page. */
const ELSEWHERE = new Set(["name", "systemPrompt", "rags"]);

/** For members: what is set. */
export const StoredModel = (props: { kind: Kind; record: InferenceRecord | AgentRecord }) => (
  <>
    <Facts
      facts={settingFacts(
        fieldsOf(props.kind, false).filter((field) => !ELSEWHERE.has(formName(field))),
        props.record,
      )}
    />
    <h2>System prompt</h2>
    <CodeBlock label="System prompt" text={props.record.systemPrompt} />
    <p class="soft">An administrator may change the settings.</p>
  </>
);
