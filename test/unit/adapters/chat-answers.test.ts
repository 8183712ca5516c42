import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import { providerReason, ModelFailure } from "../../../src/ports/models.ts";
import {
  refuseAsReasoningModel,
  refuseThroughGateway,
} from "../../doubles/openai-compatible/chat-answer.ts";
import type { ChatBody } from "../../doubles/openai-compatible/chat-answer.ts";
import { OpenAiDouble, sendAll } from "../../doubles/openai-compatible/openai-double.ts";

const config = parseConfig({
  ENVIRONMENT: "development",
  OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
});
const content = [{ type: "text" as const, text: "Hello" }];
const prompt = [{ role: "user" as const, content }];
const limited = { prompt, temperature: 0.2, maxOutputTokens: 50 };

const modelOf = (double: OpenAiDouble, name: string) =>
  modelRegistry(config, { fetch: double.fetch }).chat(`local/${name}`).model;

async function streamed(double: OpenAiDouble, name: string, options = { prompt }) {
  const { stream } = await modelOf(double, name).doStream(options);
  let text = "";
  for await (const part of stream) if (part.type === "text-delta") text += part.delta;
  return text;
}

async function whole(
  double: OpenAiDouble,
  name: string,
  options: LanguageModelV4CallOptions = { prompt },
) {
  const result = await modelOf(double, name).doGenerate(options);
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("");
}

test.each([
  ["openai", refuseAsReasoningModel],
  ["gateway", refuseThroughGateway],
])("a reasoning model gets the fields that it takes, by the error of %s", async (name, refuse) => {
  const double = new OpenAiDouble();
  double.refuse = refuse;
  expect(await whole(double, name, limited)).toBe("It is forty-two.");
  expect(double.requests).toHaveLength(3);
  const expected = { max_completion_tokens: 50 };
  expect(double.requests[2]?.body).toMatchObject(expected);
  // The model is known by now, in streams, too.
  expect(await streamed(double, name, limited)).toBe("It is forty-two.");
  expect(double.requests).toHaveLength(4);
  expect(double.requests[3]?.body).toMatchObject(expected);
  expect(double.requests[3]?.body).not.toHaveProperty("max_tokens");
  expect(double.requests[3]?.body).not.toHaveProperty("temperature");
  // Another model of the server is not.
  double.refuse = () => null;
  await whole(double, `${name}-4o`, limited);
  expect(double.requests[4]?.body).toMatchObject({ max_tokens: 50, temperature: 0.2 });
});

test("a schema that a failing server got no answer to is sent again after a while", async () => {
  const double = new OpenAiDouble();
  double.fail("chat", { kind: "status", status: 500 }, 1);
  const schema = { type: "object" as const };
  const options = { prompt, responseFormat: { type: "json" as const, schema } };
  const schemasSent = () =>
    double.requests.map(({ body }) => "response_format" in (body as Record<string, unknown>));
  await whole(double, "failed-once", options);
  await whole(double, "failed-once", options);
  expect(schemasSent()).toEqual([true, false, false]);
  vi.useFakeTimers({ now: Date.now() + 11 * 60_000, toFake: ["Date"] });
  await whole(double, "failed-once", options);
  expect(schemasSent()).toEqual([true, false, false, true]);
});

test("a refusal for another reason stays one, and says it without secrets", async () => {
  const double = new OpenAiDouble();
  const message =
    "max_tokens is too large: 50. See https://models.internal/v1, key sk-abcdef. Ask for max_completion_tokens within 20.";
  double.refuse = () => ({ error: { message, param: "max_tokens", code: "invalid_value" } });
  const refusal = await whole(double, "small", limited).catch((thrown: unknown) => thrown);
  expect(refusal).toMatchObject({ status: 400, message: "400" });
  expect(refusal).toBeInstanceOf(ModelFailure);
  const reason = providerReason(new Error("failed", { cause: refusal }));
  expect(reason).toMatch(/^: max_tokens is too large: 50\./);
  expect(reason).not.toMatch(/sk-|internal/);
  expect(double.requests).toHaveLength(1);
});

type Chunk = Record<string, unknown> | string;
const delta = (part: object, finish_reason: string | null = null, more: object = {}) => {
  return { choices: [{ index: 0, delta: part, finish_reason }], ...more };
};
const END = delta({}, "stop");
const HI = delta({ content: "Hi" });
const pieceOf = (chunk: Chunk) =>
  typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`;
const CALL = { id: "1", type: "function", function: { name: "search", arguments: '{"a":1}' } };

async function partsOf(chunks: Chunk[], type = "text/event-stream", isOpen = false) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(pieceOf(chunk)));
      if (!isOpen) controller.close();
    },
  });
  const fetch = () => Promise.resolve(new Response(body, { headers: { "content-type": type } }));
  const { stream } = await modelRegistry(config, { fetch })
    .chat("local/odd")
    .model.doStream({ prompt });
  const parts: { type: string }[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
const DONE = "data: [DONE]\n\n";
const ends = (unified: string) => ({ type: "finish", finishReason: { unified } });

/** As vllm-mlx, Ollama, Azure, Gemini, LiteLLM, DashScope and gateways of companies send them. */
test.each<[string, Chunk[], object]>([
  ["without a reason to end", [HI, DONE], ends("stop")],
  ["of a call without a reason to end", [delta({ tool_calls: [CALL] }), DONE], ends("tool-calls")],
  ["with empty reasons", [delta({ content: "Hi" }, ""), DONE], ends("stop")],
  ["of another role", [delta({ role: "model", content: "Hi" }), END], ends("stop")],
  ["with a number as its text", [delta({ content: 42 }), END], ends("stop")],
  ["with a list as its usage", [HI, { ...END, usage: [] }], ends("stop")],
  ["with other events", [{ type: "ping" }, "data:\n\n", HI, END], ends("stop")],
  ["with usage alone", [HI, END, { usage: { prompt_tokens: 5 } }], ends("stop")],
  [
    "with texts as counts",
    [HI, { ...END, usage: { prompt_tokens: "5", completion_tokens: "1", cost: "?", details: {} } }],
    { ...ends("stop"), usage: { inputTokens: { total: 5 } } },
  ],
  [
    "with an empty piece of a call",
    [delta({ tool_calls: [CALL, { index: 0 }] }), END],
    ends("tool-calls"),
  ],
  ["of several lines", ['data: {"choices":\n', "data: []}\n\n", HI, END], ends("stop")],
  [
    "with a single call",
    [
      delta({ function_call: { name: "search", arguments: "{" } }),
      delta({ function_call: { arguments: "}" } }),
      delta({}, "function_call"),
    ],
    ends("tool-calls"),
  ],
  ["as a message", [{ choices: [{ message: { content: "Hi" } }] }, END], ends("stop")],
  ["at Anthropic's limit", [HI, delta({}, "max_tokens")], ends("length")],
  ["of a call with another end", [delta({ tool_calls: [CALL] }, "tool_use")], ends("tool-calls")],
  ["that GLM's filter ends", [HI, delta({}, "sensitive")], ends("content-filter")],
])("a stream %s is read", async (_, chunks, end) => {
  const parts = await partsOf(chunks);
  expect(parts.at(-1)).toMatchObject(end);
  expect(parts.some(({ type }) => ["text-delta", "tool-call"].includes(type))).toBe(true);
});

test.each(["application/json", "text/plain"])("events that a proxy calls %s are", async (type) => {
  expect((await partsOf([": ping\n\n", HI, END, DONE], type)).at(-1)).toMatchObject(ends("stop"));
});

test("a stream ends with [DONE], though the connection stays open", async () => {
  expect((await partsOf([HI, END, DONE], undefined, true)).at(-1)).toMatchObject(ends("stop"));
});

/** As OpenRouter, DeepSeek, LM Studio, vLLM, MiniMax and a gateway behind a login send them. */
test.each<[string, Chunk[], object]>([
  ["a reason of its end", [HI, delta({}, "network_error")], { retryable: true }],
  [
    "a reason behind another one",
    [{ choices: [{ delta: {}, finish_reason: "stop", native_finish_reason: "error" }] }],
    { retryable: true },
  ],
  [
    "a chunk",
    [HI, { ...delta({}, "error"), error: { code: 502, message: "gone" } }],
    { status: 502, retryable: true, reason: null },
  ],
  ["a sentence", [{ error: "The model has crashed" }], { retryable: true }],
  [
    "the end of a text",
    [`${pieceOf(HI)}event: error\n${pieceOf({ error: { code: 402, message: "no credits" } })}`],
    { status: 402, retryable: false },
  ],
  ["one JSON text", ['{"error":{"code":402,"message":"no credits"}}'], { status: 402 }],
  ["a list", ['[{"error":{"code":400,"message":"bad"}}]'], { status: 400, reason: "bad" }],
  [
    "what another provider said",
    [
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { raw: "prompt is too long: 2100 tokens > 2000 maximum" },
        },
      },
    ],
    { status: 400, tooLong: { sent: 2_100, limit: 2_000 } },
  ],
  ["a page", ["<html>\nblocked</html>"], { message: "unreadable reply", retryable: true }],
  ["a stream that stops", [HI], { message: "the connection broke", retryable: true }],
])("an error with status 200, as %s, is one", async (_, chunks, failure) => {
  const error = { name: "ModelFailure", ...failure };
  expect((await partsOf(chunks)).at(-1)).toMatchObject({ type: "error", error });
});

test.each<[string, object, object]>([
  ["OpenRouter", { error: { code: 402, message: "credits" } }, { status: 402, retryable: false }],
  ["vLLM", { object: "error", message: "long", code: 400 }, { status: 400, reason: "long" }],
  [
    "OpenRouter, behind another reason,",
    {
      choices: [{ message: { content: "" }, finish_reason: "stop", native_finish_reason: "abort" }],
    },
    { retryable: true },
  ],
  [
    "DashScope",
    { code: "InvalidParameter", message: "Range of input length should be [1, 30720]" },
    { status: null, tooLong: { sent: null, limit: null } },
  ],
])("an error that %s answers with status 200 is one", async (_, body, failure) => {
  const fetch = () => Promise.resolve(Response.json(body));
  const { model } = modelRegistry(config, { fetch }).chat("local/odd");
  await expect(model.doGenerate({ prompt })).rejects.toMatchObject(failure);
});

test("a chat template without a system role gets the instructions with the request", async () => {
  const double = new OpenAiDouble();
  const bodies: ChatBody[] = [];
  const fetch: typeof globalThis.fetch = async (...call) => {
    const body = JSON.parse(call[1]?.body as string) as ChatBody;
    bodies.push(body);
    const roles = body.messages.map(({ role }) => role);
    if (roles.every((role, at) => role === (at % 2 === 0 ? "user" : "assistant")))
      return await double.fetch(...call);
    const message = "Jinja Exception: Conversation roles must alternate user/assistant/…";
    return Response.json({ error: { code: 500, message } }, { status: 500 });
  };
  const { model } = modelRegistry(config, { fetch }).chat("local/gemma-template");
  const system = { role: "system" as const, content: "Be brief." };
  for (const count of [2, 3]) {
    await model.doGenerate({ prompt: [system, ...prompt] });
    expect(bodies).toHaveLength(count);
    expect(bodies.at(-1)?.messages).toEqual([{ role: "user", content: "Be brief.\n\nHello" }]);
  }
});

const ANSWER = "It is 42.\n\nSee <think> and </think> in the manual.";

test.each([
  ["a thought", "plain", `<think>Is it 41?</think>\n\n${ANSWER}`, ANSWER],
  ["space before it", "plain", `\n <THINKING>\nNo.\n</thinking>${ANSWER}`, ANSWER],
  ["an empty one", "plain", `<think>\n\n</think>\n\n${ANSWER}`, ANSWER],
  ["no opening mark", "deepseek-r1:8b", `Is it 41? No.\n</think>\n\n${ANSWER}`, ANSWER],
  ["no thought", "deepseek-r1:8b", "It is 42.", "It is 42."],
  ["marks in the answer", "plain", ANSWER, ANSWER],
  ["Magistral's marks", "plain", `[THINK]Is it 41?[/THINK]${ANSWER}`, ANSWER],
  [
    "channels of gpt-oss",
    "plain",
    `<|channel|>analysis<|message|>41?<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
    ANSWER,
  ],
  [
    "JSON of gpt-oss",
    "plain",
    `<|channel|>analysis<|message|></think>?<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{}`,
    "{}",
  ],
  ["a mark of another model in a thought", "plain", `<think>[/THINK]?</think>${ANSWER}`, ANSWER],
  [
    "a link in the place of a mark",
    "plain",
    "[Think](https://a.test) of it.",
    "[Think](https://a.test) of it.",
  ],
  ["another mark", "plain", "<th>Head</th>", "<th>Head</th>"],
  ["a lone bracket", "plain", "<", "<"],
  ["a mark that an answer mentions", "deepseek-r1:8b", ANSWER, ANSWER],
  ["a closing mark alone", "deepseek-r1:8b", `</think>\n\n${ANSWER}`, ANSWER],
  ["a thought that breaks off", "plain", "<think>Is it 41? Or", ""],
])("an answer with %s", async (_, name, text, expected) => {
  const double = new OpenAiDouble();
  double.script = () => ({ text });
  expect(await whole(double, name)).toBe(expected);
  // One character at a time, so that marks are split over events.
  double.send = () => {
    const event = (content: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    return sendAll([
      ...Array.from(text, event),
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
    ]);
  };
  expect(await streamed(double, name)).toBe(expected);
});
