import { invalidField } from "../../../core/errors.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { AgentInvokeRequest, MESSAGES_LIMIT } from "../../../inference/run-requests.ts";
import type { EarlierMessage } from "../../../inference/types.ts";
import { Markdown } from "../../components/markdown.tsx";
import type { RunOutcome } from "./collect-run.ts";
import { textsIn } from "./run-result.tsx";

/** The turns before the prompt: only the page keeps them, in this field of its forms. */
export const TURNS = "messages";

/** @throws QuarryError `invalid` */
export function turnsIn(text: string): EarlierMessage[] {
  if (text === "") return [];
  let messages: unknown;
  try {
    messages = JSON.parse(text);
  } catch {
    throw invalidField(TURNS, "must be JSON");
  }
  return parseOrRefuse(AgentInvokeRequest.pick({ messages: true }), { messages }).messages ?? [];
}

/** The turns that a follow-up has before it; null after an answer that broke off. */
export function turnsAfter(
  turns: EarlierMessage[],
  prompt: string,
  outcome: RunOutcome,
): EarlierMessage[] | null {
  if (outcome.kind === "broken") return null;
  const { response } = outcome.result;
  const content = textsIn(response)?.join("") ?? JSON.stringify(response);
  const all = [
    ...turns,
    { role: "user", content: prompt },
    { role: "assistant", content },
  ] as const;
  return all.slice(-MESSAGES_LIMIT);
}

export const HiddenTurns = ({ turns }: { turns: EarlierMessage[] }) =>
  turns.length === 0 ? null : <input type="hidden" name={TURNS} value={JSON.stringify(turns)} />;

const WHO = { user: "You", assistant: "Model", tool: "Function" };

/** `startOver`: the page without them. */
export const EarlierTurns = ({
  turns,
  startOver,
}: {
  turns: EarlierMessage[];
  startOver: string;
}) =>
  turns.length === 0 ? null : (
    <details class="options">
      <summary>Earlier messages ({turns.length})</summary>
      {turns.map(({ role, content }) => (
        <>
          <p class="soft">{WHO[role]}</p>
          <Markdown text={content} />
        </>
      ))}
      <p>
        <a href={startOver}>Start over</a>
      </p>
    </details>
  );

type FollowUpProps = {
  action: string;
  turns: EarlierMessage[];
  /** Other fields of the form that ran, to be sent as they were. */
  kept: [name: string, value: string][];
};

export const FollowUp = ({ action, turns, kept }: FollowUpProps) => (
  <form method="post" action={action}>
    <HiddenTurns turns={turns} />
    {kept.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <div class="field">
      <label for="follow-up">Follow-up</label>
      <textarea id="follow-up" name="prompt" rows={2} dir="auto" required />
    </div>
    <p>
      <button class="btn">Ask</button>
    </p>
  </form>
);
