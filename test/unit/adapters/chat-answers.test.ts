import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test, vi } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import { providerReason, ModelFailure } from "../../../src/ports/models.ts";
import {
  refuseAsReasoningModel,
  refuseThroughGateway,
} from "../../doubles/openai-compatible/chat-answer.ts";
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
  const taken = { max_completion_tokens: 50 };
  expect(double.requests[2]?.body).toMatchObject(taken);
  // The model is known by now, in streams, too.
  expect(await streamed(double, name, limited)).toBe("It is forty-two.");
  expect(double.requests).toHaveLength(4);
  expect(double.requests[3]?.body).toMatchObject(taken);
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

test("a server that does not answer is asked once for its window, and keeps the last", async () => {
  const urls: string[] = [];
  let isUp = true;
  const list = { data: [{ id: "small", meta: { n_ctx: 2_048 } }] };
  const fetch: typeof globalThis.fetch = (input) => {
    urls.push(input instanceof Request ? input.url : input.toString());
    return isUp ? Promise.resolve(Response.json(list)) : Promise.reject(new TypeError("refused"));
  };
  const variables = { OPENAI_COMPATIBLE_BASE_URL: "http://window.test/v1" };
  const models = modelRegistry(parseConfig({ ENVIRONMENT: "development", ...variables }), {
    fetch,
  });
  const chat = models.chat("local/small");
  await chat.window?.read();
  expect(chat.contextTokens).toBe(2_048);
  isUp = false;
  vi.useFakeTimers({ now: Date.now() + 61 * 60_000, toFake: ["Date"] });
  await chat.window?.read();
  expect(urls).toEqual(Array(2).fill("http://window.test/v1/models"));
  expect(chat.contextTokens).toBe(2_048);
});

test("a refusal for another reason stays one, and says it without secrets", async () => {
  const double = new OpenAiDouble();
  const message =
    "max_tokens is too large: 50. See https://models.internal/v1, key sk-abcdef. Ask for max_completion_tokens within 20.";
  double.refuse = () => ({ error: { message, param: "max_tokens", code: "invalid_value" } });
  const refused = await whole(double, "small", limited).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ status: 400, message: "400" });
  expect(refused).toBeInstanceOf(ModelFailure);
  const reason = providerReason(new Error("failed", { cause: refused }));
  expect(reason).toMatch(/^: max_tokens is too large: 50\./);
  expect(reason).not.toMatch(/sk-|internal/);
  expect(double.requests).toHaveLength(1);
});

test("arguments of a tool call that come as an object are read", async () => {
  const given = { query: "boiler", arguments: { year: 2026 } };
  const call = { id: "1", type: "function", function: { name: "search", arguments: given } };
  const told = { tool_calls: [{ index: 0, ...call }] };
  const choice = { index: 0, finish_reason: "tool_calls" };
  const model = modelRegistry(config, {
    fetch: (_url, init) =>
      Promise.resolve(
        JSON.stringify(init?.body).includes("stream")
          ? new Response(
              sendAll([
                `data: ${JSON.stringify({ choices: [{ ...choice, delta: told }] })}\n\n`,
                "data: [DONE]\n\n",
              ]),
              { headers: { "content-type": "text/event-stream" } },
            )
          : Response.json({ choices: [{ ...choice, message: { content: null, ...told } }] }),
      ),
  }).chat("local/objects").model;
  const { content: parts } = await model.doGenerate({ prompt });
  expect(parts).toMatchObject([{ type: "tool-call", toolName: "search" }]);
  const inputs = parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : []));
  const { stream } = await model.doStream({ prompt });
  for await (const part of stream) if (part.type === "tool-call") inputs.push(part.input);
  expect(inputs.map((input) => JSON.parse(input) as unknown)).toEqual([given, given]);
});

const ANSWER = "It is 42.\n\nSee <think> and </think> in the manual.";

test.each([
  ["a thought", "plain", `<think>Is it 41?</think>\n\n${ANSWER}`, ANSWER],
  ["space before it", "plain", `\n <THINKING>\nNo.\n</thinking>${ANSWER}`, ANSWER],
  ["an empty one", "plain", `<think>\n\n</think>\n\n${ANSWER}`, ANSWER],
  ["no opening mark", "deepseek-r1:8b", `Is it 41? No.\n</think>\n\n${ANSWER}`, ANSWER],
  ["no thought", "deepseek-r1:8b", "It is 42.", "It is 42."],
  ["marks in the answer", "plain", ANSWER, ANSWER],
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
