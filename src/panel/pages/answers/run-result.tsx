import type { Child } from "hono/jsx";

import { QuarryError } from "../../../core/errors.ts";
import { blocksIn } from "../../../inference/answer-text.ts";
import type { EmitEvent } from "../../../inference/run-events.ts";
import type { ContentBlock, InferenceResult, ToolCall } from "../../../inference/types.ts";
import { providerReason } from "../../../ports/models.ts";
import type { RetrievedChunk } from "../../../retrieval/score-chunks.ts";
import { CodeBlock, CopyButton } from "../../components/code-block.tsx";
import { Data, Status, ForAdmins, useView } from "../../components/data.tsx";
import { count, duration, money } from "../../components/figures.ts";
import { Markdown } from "../../components/markdown.tsx";
import { Warning } from "../../components/notice.tsx";
import { Facts } from "../../components/page-head.tsx";

type AnswerProps = {
  outcome: RunOutcome;
  /** Before the numbers of its passages, in their addresses on the page. */
  id: string;
};

/** An answer, or the part that was written. Times, tokens and cost are for administrators. */
export const Answer = ({ outcome, id }: AnswerProps) =>
  outcome.kind === "whole" ? (
    <>
      <Degraded degradations={outcome.result.degradations} />
      <Response response={outcome.result.response} id={id} />
      {outcome.result.toolCalls.map((call) => (
        <Tool call={call} />
      ))}
      <ForAdmins>
        <Figures result={outcome.result} />
      </ForAdmins>
    </>
  ) : (
    <>
      <Warning
        text={`The answer broke off. ${outcome.broken.reason}. Below is the text until then. Ask again for the whole answer.`}
      />
      <WrittenText blocks={[{ text: outcome.broken.text }]} id={id} />
    </>
  );

const Degraded = ({ degradations }: { degradations: string[] }) => {
  const reasons = useView().mayChange ? `: ${degradations.join("; ")}` : ".";
  return degradations.length === 0 ? null : (
    <Warning text={`A part failed, and the answer is built from the rest${reasons}`} />
  );
};

const Response = ({ response, id }: { response: InferenceResult["response"]; id: string }) => {
  const blocks = blocksIn(response);
  if (blocks !== null) return <WrittenText blocks={blocks} id={id} />;
  return <CodeBlock label="The answer as JSON" text={JSON.stringify(response, null, 2)} />;
};

type Block = Pick<ContentBlock, "text" | "citations">;

/** The numbers of its citations lead to the passages. */
const WrittenText = ({ blocks, id }: { blocks: Block[]; id: string }) => (
  <>
    <div class="answer-text" id={`${id}-answer`}>
      {blocks.map(({ text, citations = [] }) => (
        <Markdown
          text={text}
          notes={citations.map(({ item, end }) => ({
            at: end,
            shown: (
              <a class="cited" href={`#${id}-${item + 1}`} aria-label={`Passage ${item + 1}`}>
                {item + 1}
              </a>
            ),
          }))}
        />
      ))}
    </div>
    <p>
      <CopyButton of={`${id}-answer`} label="answer" />
    </p>
  </>
);

const Figures = ({ result: { timings, usage, questions } }: { result: InferenceResult }) => (
  <details class="why">
    <summary>
      {duration(timings.totalMs)}, {count(usage.totalTokens)} tokens
    </summary>
    <Facts
      pairs={[
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
  </details>
);

const Tool = ({ call: { tool, ok, debug } }: { call: ToolCall }) => (
  <details class="why">
    <summary>
      <Status tone={ok ? "ok" : "bad"}>
        <Data mono>{tool}</Data> {ok ? "" : "failed"}
      </Status>
    </summary>
    {useView().mayChange ? (
      <>
        <p class="soft">{duration(debug.durationMs)}</p>
        <CodeBlock label="Input of the tool" text={JSON.stringify(debug.input, null, 2)} />
        <CodeBlock label="Output of the tool" text={debug.output} />
      </>
    ) : (
      <p class="soft">Only administrators see the input and output.</p>
    )}
  </details>
);

export type RunOutcome =
  | { kind: "whole"; result: InferenceResult }
  | { kind: "broken"; broken: { text: string; items: RetrievedChunk[]; reason: string } };

/** Failures after which what was written so far is shown. */
const BREAKS = new Set(["model-failed", "spending-reached"]);

/**
 * Listens to a run, so that what its model wrote is kept when the model fails midway. `forward`
 * listens as well.
 * @throws QuarryError `unprocessable` where the model failed before it wrote anything: what its
 *   provider says belongs next to the prompt, not on its own page.
 */
export async function collectRun(
  run: (emit: EmitEvent) => Promise<InferenceResult>,
  forward?: EmitEvent,
  isAdmin = false,
): Promise<RunOutcome> {
  const items: RetrievedChunk[] = [];
  let parts: string[] = [];
  let writing = -1;
  const emit: EmitEvent = async (event) => {
    if (event.type === "retrieval") items.push(...event.items);
    // Text before a tool's run is no part of the answer.
    if (event.type === "tool" && event.state === "started") parts = [];
    if (event.type === "delta") {
      // A further call of the model begins a new text.
      if (event.step !== writing) parts = [];
      writing = event.step;
      parts.push(event.text);
    }
    await forward?.(event);
  };
  try {
    return { kind: "whole", result: await run(emit) };
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || !BREAKS.has(thrown.kind)) throw thrown;
    const text = parts.join("");
    const reason = isAdmin ? `${thrown.message}${providerReason(thrown)}` : thrown.message;
    if (text.trim() === "") throw new QuarryError("unprocessable", reason);
    return { kind: "broken", broken: { text, items, reason } };
  }
}
