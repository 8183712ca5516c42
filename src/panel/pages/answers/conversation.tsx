import { invalidField, QuarryError } from "../../../core/errors.ts";
import { parseJson } from "../../../core/input/parse-json.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import { blocksIn, textOf } from "../../../inference/answer-text.ts";
import { AgentInvokeRequest, MESSAGES_LIMIT } from "../../../inference/run-requests.ts";
import type { EarlierMessage } from "../../../inference/types.ts";
import { showHidden } from "../../components/data.tsx";
import type { FormValues } from "../../components/form.tsx";
import { Markdown } from "../../components/markdown.tsx";
import type { RunOutcome } from "./run-result.tsx";

/** The turns before the prompt: only the page keeps them, in this field of its forms. */
export const TURNS = "messages";

/** @throws QuarryError `invalid` */
export function turnsIn(text: string): EarlierMessage[] {
  if (text === "") return [];
  const messages = parseJson(text);
  if (messages === undefined) throw invalidField(TURNS, "must be JSON");
  return parseOrRefuse(AgentInvokeRequest.pick({ messages: true }), { messages }).messages ?? [];
}

/** The earlier turns to be shown: none where the field holds something else. */
export function readTurns(form: FormValues): EarlierMessage[] {
  try {
    return turnsIn(form.exact(TURNS));
  } catch (thrown) {
    if (thrown instanceof QuarryError) return [];
    throw thrown;
  }
}

/** The turns that a follow-up has before it. An answer that broke off is none of them. */
export function appendTurn(
  turns: EarlierMessage[],
  { question, outcome }: { question: string; outcome: RunOutcome | null },
): EarlierMessage[] {
  if (outcome?.kind !== "whole") return turns;
  const { response } = outcome.result;
  const content = blocksIn(response) === null ? JSON.stringify(response) : textOf(response);
  const all = [
    ...turns,
    { role: "user", content: question },
    { role: "assistant", content },
  ] as const;
  return all.slice(-MESSAGES_LIMIT);
}

export const HiddenTurns = ({ turns }: { turns: EarlierMessage[] }) =>
  turns.length === 0 ? null : <input type="hidden" name={TURNS} value={JSON.stringify(turns)} />;

export const EarlierTurns = ({ turns }: { turns: EarlierMessage[] }) => (
  <>
    {turns.map(({ role, content }) =>
      role === "user" ? (
        <h2 class="question data" dir="auto">
          {showHidden(content)}
        </h2>
      ) : (
        <div class="answer-text">
          <Markdown text={content} />
        </div>
      ),
    )}
  </>
);
