import { SECOND_MS } from "../../core/time.ts";
import { eventText } from "../../http/event-stream.ts";
import type { FunctionCall, Usage } from "../../inference/types.ts";
import type { Teller, TurnApi } from "./answer-turn.ts";
import type { OpenAiErrorBody } from "./errors.ts";
import { callItemId } from "./functions.ts";
import { degradedAnswer, retrievalAnswer, type Output, type OutputEvent } from "./output.ts";
import { readResponse, ResponsesRequest, type ReadResponse } from "./responses-request.ts";

/*
 * https://platform.openai.com/docs/api-reference/responses/object and …/responses-streaming; the
 * types are in node_modules/openai/resources/responses/responses.d.ts.
 */

export const responses: TurnApi<ReadResponse> = {
  schema: ResponsesRequest,
  read: readResponse,
  answer: responseAnswer,
  teller: (turn) => new ResponseTeller(turn),
};

const newId = (kind: string) => `${kind}_${crypto.randomUUID().replaceAll("-", "")}`;

/** The response before anything came of it. */
function responseHeadOf({ asked: request, model, functions }: ReadResponse) {
  return {
    id: newId("resp"),
    object: "response" as const,
    created_at: Math.floor(Date.now() / SECOND_MS),
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model,
    output: [],
    parallel_tool_calls: functions?.parallel ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: request.temperature ?? null,
    text: { format: request.text?.format ?? { type: "text" as const } },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: null,
    truncation: "disabled",
    usage: null,
  };
}

type ResponseHead = ReturnType<typeof responseHeadOf>;

const REASONS = { length: "max_output_tokens", content_filter: "content_filter" };
const statusOf = ({ finish }: Output) => (finish === "stop" ? "completed" : "incomplete");

const finishResponse = (response: ResponseHead, output: Output, items: object[]) => ({
  ...response,
  status: statusOf(output),
  incomplete_details: output.finish === "stop" ? null : { reason: REASONS[output.finish] },
  output: items,
  usage: usageAnswer(output.usage),
  ...degradedAnswer(output),
  ...retrievalAnswer(output),
});

function responseAnswer(turn: ReadResponse, output: Output) {
  const message = hasMessage(output) ? [messageItem(newId("msg"), output)] : [];
  const items = [...message, ...output.calls.map((call) => callItem(call))];
  return finishResponse(responseHeadOf(turn), output, items);
}

const hasMessage = ({ text, calls }: Output) => text !== "" || calls.length === 0;

const messageItem = (id: string, output: Output) => ({
  id,
  type: "message" as const,
  status: statusOf(output),
  role: "assistant" as const,
  content: [textPart(output.text, annotationsOf(output))],
});

const textPart = (text: string, annotations: object[]) => {
  return { type: "output_text" as const, text, annotations, logprobs: [] };
};

/** `index`: where the file is cited, as OpenAI has it; the stretch is an addition of ours. */
const annotationsOf = ({ citations }: Output) =>
  citations.map((cited) =>
    Object.assign({ type: "file_citation" as const, index: cited.end_index }, cited),
  );

const callItem = (call: FunctionCall) => ({
  id: callItemId(call),
  type: "function_call" as const,
  status: "completed",
  call_id: call.id,
  name: call.name,
  arguments: call.arguments,
});

const usageAnswer = ({ inputTokens, cachedTokens, outputTokens, totalTokens }: Usage) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: totalTokens,
});

class ResponseTeller implements Teller {
  readonly #begun: ResponseHead;
  #sequence = 0;
  /** The id of the message, once it has begun. */
  #messageId: string | null = null;

  constructor(turn: ReadResponse) {
    this.#begun = responseHeadOf(turn);
  }

  async *texts(events: AsyncIterable<OutputEvent>): AsyncGenerator<string> {
    for await (const event of events) {
      if (event.type === "begin") {
        const response = { ...this.#begun, ...retrievalAnswer(event) };
        for (const type of ["created", "in_progress"]) {
          yield this.#event(`response.${type}`, { response });
        }
      } else if (event.type === "text") {
        yield* this.#beginMessage();
        yield this.#textEvent("delta", { delta: event.text, logprobs: [] });
      } else yield* this.#end(event.output);
    }
  }

  /** Clients read the one form or the other. */
  failureEvent({ error }: OpenAiErrorBody): string {
    return this.#event("error", { ...error, type: "error", error });
  }

  #event(type: string, data: object): string {
    const sequence_number = this.#sequence++;
    return eventText({ type, sequence_number, ...data }, type);
  }

  #textEvent(what: string, data: object): string {
    return this.#event(`response.output_text.${what}`, { ...this.#place, ...data });
  }

  get #place() {
    return { item_id: this.#messageId, output_index: 0, content_index: 0 };
  }

  *#beginMessage(): Generator<string> {
    if (this.#messageId !== null) return;
    this.#messageId = newId("msg");
    const id = this.#messageId;
    const message = { id, type: "message", status: "in_progress", role: "assistant", content: [] };
    yield this.#event("response.output_item.added", { output_index: 0, item: message });
    yield this.#event("response.content_part.added", { ...this.#place, part: textPart("", []) });
  }

  *#end(output: Output): Generator<string> {
    const items: object[] = [];
    if (hasMessage(output)) {
      yield* this.#beginMessage();
      items.push(yield* this.#endMessage(output));
    }
    for (const call of output.calls) {
      items.push(yield* this.#call(call, items.length));
    }
    const response = finishResponse(this.#begun, output, items);
    yield this.#event(`response.${response.status}`, { response });
  }

  *#endMessage(output: Output): Generator<string, object> {
    const item = messageItem(this.#messageId ?? "", output);
    const [part] = item.content;
    for (const [annotation_index, annotation] of annotationsOf(output).entries()) {
      yield this.#textEvent("annotation.added", { annotation_index, annotation });
    }
    yield this.#textEvent("done", { text: output.text, logprobs: [] });
    yield this.#event("response.content_part.done", { ...this.#place, part });
    yield this.#event("response.output_item.done", { output_index: 0, item });
    return item;
  }

  *#call(call: FunctionCall, output_index: number): Generator<string, object> {
    const item = callItem(call);
    const place = { item_id: item.id, output_index };
    const begunItem = { ...item, status: "in_progress", arguments: "" };
    yield this.#event("response.output_item.added", { output_index, item: begunItem });
    const ofArguments = "response.function_call_arguments";
    yield this.#event(`${ofArguments}.delta`, { ...place, delta: call.arguments });
    const { name, arguments: whole } = call;
    yield this.#event(`${ofArguments}.done`, { ...place, name, arguments: whole });
    yield this.#event("response.output_item.done", { output_index, item });
    return item;
  }
}
