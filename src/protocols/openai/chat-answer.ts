import { SECOND_MS } from "../../core/time.ts";
import { eventText } from "../../http/event-stream.ts";
import type { FunctionCall, Usage } from "../../inference/types.ts";
import type { Teller, TurnApi } from "./answer-turn.ts";
import { ChatRequest, readChat, type ReadChat } from "./chat-request.ts";
import { degradedAnswer, retrievalAnswer, type Output, type OutputEvent } from "./output.ts";

/** https://platform.openai.com/docs/api-reference/chat */
export const chatCompletions: TurnApi<ReadChat> = {
  schema: ChatRequest,
  read: readChat,
  answer: chatAnswer,
  teller: (chat): Teller => ({
    texts: (events) => chatChunks(events, chat),
    failureEvent: (error) => eventText(error),
  }),
};

const DONE = "data: [DONE]\n\n";

const headOf = ({ model }: ReadChat) => ({
  id: `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`,
  created: Math.floor(Date.now() / SECOND_MS),
  model,
});

/** https://platform.openai.com/docs/api-reference/chat/object */
function chatAnswer(chat: ReadChat, output: Output) {
  const { text, calls } = output;
  const message = {
    role: "assistant" as const,
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...annotationsIn(chat, output),
    ...(calls.length > 0 ? { tool_calls: calls.map(callAnswer) } : {}),
  };
  return {
    ...headOf(chat),
    object: "chat.completion" as const,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(output) }],
    usage: usageAnswer(output.usage),
    ...degradedAnswer(output),
    ...retrievalAnswer(output),
  };
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
async function* chatChunks(
  events: AsyncIterable<OutputEvent>,
  chat: ReadChat,
): AsyncGenerator<string> {
  const head = { ...headOf(chat), object: "chat.completion.chunk" };
  const untold = chat.includeUsage ? { usage: null } : {};
  const chunk = (choices: unknown[], more: object = {}) =>
    eventText({ ...head, choices, ...untold, ...more });
  const part = (delta: object, finish: string | null = null, more: object = {}) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }], more);
  for await (const event of events) {
    if (event.type === "begin") {
      yield part({ role: "assistant", content: "" }, null, retrievalAnswer(event));
    }
    if (event.type === "text") yield part({ content: event.text });
    if (event.type !== "end") continue;
    const { output } = event;
    for (const [index, call] of output.calls.entries()) {
      yield part({ tool_calls: [{ index, ...callAnswer(call) }] });
    }
    yield part(annotationsIn(chat, output), finishOf(output), degradedAnswer(output));
    if (chat.includeUsage) yield chunk([], { usage: usageAnswer(output.usage) });
  }
  yield DONE;
}

const finishOf = ({ calls, finish }: Output) => (calls.length > 0 ? "tool_calls" : finish);

const callAnswer = ({ id, ...called }: FunctionCall) => {
  return { id, type: "function" as const, function: called };
};

const annotationsIn = ({ cites }: ReadChat, { citations }: Output) =>
  cites
    ? {
        annotations: citations.map((file_citation) => {
          return { type: "file_citation" as const, file_citation };
        }),
      }
    : {};

const usageAnswer = ({ inputTokens, cachedTokens, outputTokens, totalTokens }: Usage) => ({
  prompt_tokens: inputTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  completion_tokens: outputTokens,
  total_tokens: totalTokens,
});
