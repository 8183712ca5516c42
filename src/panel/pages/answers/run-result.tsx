import type { Child } from "hono/jsx";

import type { RagRecord } from "../../../db/records.ts";
import type { InferenceResult, ToolCall } from "../../../inference/types.ts";
import { Data } from "../../components/data.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { count, counted, duration, money } from "../../components/figures.ts";
import { CodeBlock, CopyOf } from "../../components/code-block.tsx";
import { Warning } from "../../components/notice.tsx";
import { Facts } from "../../components/page-head.tsx";
import { Status } from "../../components/status.tsx";
import type { BrokenAnswer } from "./collect-run.ts";
import { Hits } from "../search/hits.tsx";

type AnswerProps = {
  rags: RagRecord[];
  /** What the passages were searched for, for marking. */
  queries: string[];
  isAdmin: boolean;
};

type ResultProps = AnswerProps & { result: InferenceResult };

/** An answer with what it was made from. Times, tokens and cost are for administrators. */
export const RunResult = ({ result, rags, queries, isAdmin }: ResultProps) => (
  <section aria-labelledby="answer-title" class="answer">
    <h2 id="answer-title">The answer</h2>
    {result.degradations.length === 0 ? null : (
      <Warning
        text={
          isAdmin
            ? `Built from less than was asked for: ${result.degradations.join("; ")}`
            : "Built from less than was asked for."
        }
      />
    )}
    <Answer response={result.response} />
    {isAdmin ? <Figures result={result} /> : null}
    {result.toolCalls.length === 0 ? null : (
      <>
        <h2>Tools that it used</h2>
        {result.toolCalls.map((call) => (
          <Tool call={call} isAdmin={isAdmin} />
        ))}
      </>
    )}
    <Given items={result.items} rags={rags} queries={queries} />
  </section>
);

/** The part of an answer that was written before its model failed. */
export const BrokenResult = ({ broken, rags, queries }: AnswerProps & { broken: BrokenAnswer }) => (
  <section aria-labelledby="answer-title" class="answer">
    <h2 id="answer-title">A part of the answer</h2>
    <Warning
      text={`It broke off. ${broken.reason}. Below is what was written until then; run it again for the whole.`}
    />
    <WrittenText texts={[broken.text]} />
    <Given items={broken.items} rags={rags} queries={queries} />
  </section>
);

type GivenProps = Pick<AnswerProps, "rags" | "queries"> & { items: InferenceResult["items"] };

const Given = ({ items, rags, queries }: GivenProps) =>
  items.length === 0 ? null : (
    <>
      <h2>{counted(items.length, "passage")} that it was given</h2>
      <Hits
        label="Passages that it was given"
        chunks={items}
        queries={queries}
        rags={rags}
        compared={null}
      />
    </>
  );

const Answer = ({ response }: { response: InferenceResult["response"] }) => {
  const texts = textsIn(response);
  if (texts === null) {
    return <CodeBlock label="The answer as JSON" text={JSON.stringify(response, null, 2)} />;
  }
  return <WrittenText texts={texts} />;
};

const WrittenText = ({ texts }: { texts: string[] }) => (
  <>
    <div class="answer-text" id="answer-text">
      {texts.map((text) => (
        <Markdown text={text} />
      ))}
    </div>
    <p>
      <CopyOf id="answer-text" label="answer" />
    </p>
  </>
);

/** The texts of content blocks; null for an answer that follows a JSON Schema. */
export function textsIn(response: InferenceResult["response"]): string[] | null {
  if (!Array.isArray(response) || response.length === 0) return null;
  const texts = response.map((block: unknown) =>
    typeof block === "object" && block !== null && Reflect.get(block, "type") === "text"
      ? String(Reflect.get(block, "text"))
      : null,
  );
  const found = texts.filter((text) => text !== null);
  return found.length === texts.length ? found : null;
}

const Figures = ({ result: { timings, usage, questions } }: { result: InferenceResult }) => (
  <Facts
    facts={[
      ...questions.map((question): [string, Child] => ["Searched for", <Data>{question}</Data>]),
      ["Time", duration(timings.totalMs)],
      ["Searching", duration(timings.contextMs)],
      ["Reranking", duration(timings.rerankingMs)],
      ["Model", duration(timings.modelMs)],
      ["Tokens in", count(usage.inputTokens)],
      ["Tokens out", count(usage.outputTokens)],
      [
        "Cost",
        usage.cost === null
          ? "unknown: the model has no price"
          : money(usage.cost.amount, usage.cost.currency),
      ],
    ]}
  />
);

const Tool = ({ call: { tool, ok, debug }, isAdmin }: { call: ToolCall; isAdmin: boolean }) => (
  <details class="why">
    <summary>
      <Status tone={ok ? "ok" : "bad"}>
        <Data mono>{tool}</Data> {ok ? "" : "failed"}
      </Status>
    </summary>
    {isAdmin ? (
      <>
        <p class="soft">{duration(debug.durationMs)}</p>
        <CodeBlock label="Input of the tool" text={JSON.stringify(debug.input, null, 2)} />
        <CodeBlock label="Output of the tool" text={debug.output} />
      </>
    ) : (
      <p class="soft">Administrators see what was asked and answered.</p>
    )}
  </details>
);
