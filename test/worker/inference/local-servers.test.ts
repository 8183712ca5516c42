import { beforeAll, describe, expect, test } from "vitest";

import type { RagRecord } from "../../../src/db/records.ts";
import { runAgent } from "../../../src/inference/run-agent.ts";
import type { ChatBody } from "../../doubles/openai-compatible/chat-answer.ts";
import { asLlamaCppPython, asLlamaServer } from "../../doubles/openai-compatible/local-servers.ts";
import {
  asLiteLlm,
  asLmStudio,
  asOllama,
  asRefusingTools,
  asTemplateWithoutTools,
  asVllm,
  TOOL_REFUSALS,
} from "../../doubles/openai-compatible/local-servers.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { agentOf, answerOf, indexedRag, nobody, worldWith } from "./support.ts";

let rag: RagRecord;
/** About 800 tokens each. */
const LONG = Array.from(
  { length: 6 },
  (_, at) =>
    `Holiday rule ${at}: ${"days of leave are asked for in time and in writing. ".repeat(60)}`,
);

beforeAll(async () => {
  rag = await indexedRag("local-servers", { "leave.md": LONG });
});

let servers = 0;
/** Each at an address of its own: what a server has shown is remembered. */
const at = () => ({ OPENAI_COMPATIBLE_BASE_URL: `http://local-${(servers += 1)}.test/v1` });
const embed = () => Array.from({ length: 8 }, () => 1);

const ask = (
  fetch: typeof globalThis.fetch,
  more: { prompt?: string; jsonSchema?: string } = {},
) => {
  const { services } = worldWith({ fetch, variables: at() });
  const input = { semanticSearch: ["holiday rule"], topK: 6, ...more };
  const settings = { model: "local/llama", rags: [rag] };
  return { services, answer: () => answerOf(services, settings, input) };
};

const isChat = (input: RequestInfo | URL) =>
  (input instanceof Request ? input.url : input.toString()).endsWith("/chat/completions");
const bodiesOf = (double: OpenAiDouble) => double.calls("chat").map(({ body }) => body as ChatBody);

describe("the window", () => {
  test("of llama-server is read before the first prompt: nothing is refused", async () => {
    const double = new OpenAiDouble({ embed });
    const { answer } = ask(asLlamaServer(double, { contextTokens: 4_096 }));
    const { items, degradations, response } = await answer();
    expect(response).toEqual([{ type: "text", text: "It is forty-two." }]);
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThan(6);
    expect(degradations).toEqual([expect.stringMatching(/^context: \d of 6 passages/)]);
    expect(double.calls("chat")).toHaveLength(1);
  });

  test("that is not told is learned from the first refusal, with fewer passages", async () => {
    const double = new OpenAiDouble({ embed });
    const { answer } = ask(asLlamaServer(double, { contextTokens: 3_000, tells: false }));
    const first = await answer();
    expect(first.items.length).toBeLessThan(6);
    expect(first.degradations).toEqual([expect.stringMatching(/passages did not fit/)]);
    await answer();
    // Only what fitted came to the model behind the server.
    expect(double.calls("chat")).toHaveLength(2);
  });

  test.each([
    ["LM Studio", asLmStudio],
    ["vLLM", asVllm],
    ["LiteLLM", asLiteLlm],
    ["LiteLLM in its list", (double: OpenAiDouble) => asLiteLlm(double, { tellsInList: true })],
  ])("of %s is read before the first prompt, and shown", async (_, server) => {
    const double = new OpenAiDouble({ embed });
    const { services, answer } = ask(server(double, { contextTokens: 4_096 }));
    expect(await services.models.listModels("chat")).toContainEqual(
      expect.objectContaining({ model: "local/llama", contextTokens: 4_096 }),
    );
    const { items, degradations } = await answer();
    expect(items.length).toBeGreaterThan(0);
    expect(degradations).toEqual([expect.stringMatching(/^context: \d of 6 passages/)]);
    expect(double.calls("chat")).toHaveLength(1);
  });

  test.each([
    ["LM Studio", asLmStudio, { isLoaded: false }],
    ["vLLM", asVllm, { tells: false }],
    ["LiteLLM", asLiteLlm, { tells: false }],
  ])("that %s does not tell is not shown, and learned from a refusal", async (_, server, how) => {
    const double = new OpenAiDouble({ embed });
    const { services, answer } = ask(server(double, { contextTokens: 4_096, ...how }));
    const [choice] = await services.models.listModels("chat");
    expect(choice).toMatchObject({ model: "local/llama", contextTokens: null });
    const { items, degradations } = await answer();
    expect(items.length).toBeGreaterThan(0);
    expect(degradations).toEqual([expect.stringMatching(/passages did not fit/)]);
    expect(services.models.chat("local/llama").contextTokens).toBeGreaterThan(3_000);
    expect(services.models.chat("local/llama").contextTokens).toBeLessThanOrEqual(4_096);
    expect(await services.models.problemWithModel("local/lama")).toContain("lists local/llama");
  });

  test("that a prompt alone exceeds is an error of the caller", async () => {
    const double = new OpenAiDouble({ embed });
    const { answer } = ask(asLlamaServer(double, { contextTokens: 1_024 }), {
      prompt: "Why? ".repeat(2_000),
    });
    await expect(answer()).rejects.toMatchObject({
      kind: "invalid",
      code: "context-length-exceeded",
      message: expect.stringMatching(/too long for the model: it has \d+ tokens/) as string,
    });
  });

  test("that Ollama does not keep to is noticed, and is known the next time", async () => {
    const double = new OpenAiDouble({ embed });
    const variables = at();
    const fetch = asOllama(double, { contextTokens: 1_024 });
    const { services } = worldWith({ fetch, variables });
    const settings = { model: "local/llama", rags: [rag], maxOutputTokens: 100 };
    const input = { semanticSearch: ["holiday rule"], topK: 6 };
    const first = await answerOf(services, settings, input);
    expect(first.degradations.join("\n")).toMatch(/server read 1024 of about \d+ tokens/);
    const second = await answerOf(services, settings, input);
    expect(second.items.length).toBeLessThan(first.items.length);
    expect(second.degradations.join("\n")).not.toMatch(/server read/);
  });

  test("of Ollama is not taken for smaller because a prompt was in its cache", async () => {
    const double = new OpenAiDouble({ embed });
    const fetch = asOllama(double, { contextTokens: 8_192, isLoaded: true, cachedTokens: 4_000 });
    const { services, answer } = ask(fetch);
    const answers = [await answer(), await answer()];
    for (const { items, degradations } of answers) {
      expect(items).toHaveLength(6);
      expect(degradations).toEqual([]);
    }
    expect(services.models.chat("local/llama").contextTokens).toBe(8_192);
  });
});

describe("llama-cpp-python", () => {
  test("has no JSON mode: it is asked without, and the next time at once", async () => {
    const double = new OpenAiDouble({ embed });
    double.script = () => ({ text: '{"answer":"forty-two"}' });
    const server = asLlamaCppPython(double);
    let calls = 0;
    const { answer } = ask(
      (...call) => {
        if (isChat(call[0])) calls += 1;
        return server(...call);
      },
      { jsonSchema: '{"type":"object","properties":{"answer":{"type":"string"}}}' },
    );
    expect((await answer()).response).toEqual({ answer: "forty-two" });
    expect(calls).toBe(2);
    await answer();
    expect(calls).toBe(3);
  });

  test("streams without usage: the whole text is counted, not its pieces", async () => {
    const double = new OpenAiDouble({ embed });
    const pieces = "internationalisation of passages".split("");
    double.script = () => ({ text: pieces.join("") });
    const { usage } = await ask(asLlamaCppPython(double)).answer();
    expect(usage.outputTokens).toBeLessThan(12);
    expect(usage.outputTokens).toBeGreaterThan(3);
  });
});

describe("an agent whose model gets no tools", () => {
  const invoke = async (fetch: typeof globalThis.fetch) => {
    const { services } = worldWith({ fetch, variables: at() });
    const model = `local/tools-${servers}`;
    const agent = agentOf({ model, rags: [rag] });
    const run = () => runAgent(services, { agent, prompt: "holiday rule", caller: nobody });
    return [await run(), await run()];
  };
  const withPassages = (body: ChatBody) => JSON.stringify(body.messages).includes("Holiday rule");

  test("because its template leaves them out has one search, and says so", async () => {
    const double = new OpenAiDouble({ embed });
    const [first, second] = await invoke(asTemplateWithoutTools(double));
    for (const answer of [first, second]) {
      expect(answer?.items.length).toBeGreaterThan(0);
      expect(answer?.degradations.join("\n")).toContain("takes no tools");
    }
    // The answer without passages, two short calls that show it, and the answer; then one.
    expect(bodiesOf(double).map(withPassages)).toEqual([false, false, false, true, true]);
  });

  test.each(TOOL_REFUSALS)("as its server says by %i %s has one search", async (...refusal) => {
    const double = new OpenAiDouble({ embed });
    const [first, second] = await invoke(asRefusingTools(double, refusal));
    expect(first?.degradations.join("\n")).toContain("takes no tools");
    expect(second?.items.length).toBeGreaterThan(0);
    expect(bodiesOf(double).map(withPassages)).toEqual([true, true]);
  });

  test("only where they do not come: a model that needs no search is asked once", async () => {
    const double = new OpenAiDouble({ embed });
    double.script = () => ({ text: "Good morning." });
    const [first, second] = await invoke(asLlamaServer(double, {}));
    expect([first?.degradations, second?.degradations]).toEqual([[], []]);
    expect(double.calls("chat")).toHaveLength(4);
  });
});

test("a local server is asked to stream, with a limit for the answer", async () => {
  const double = new OpenAiDouble({ embed });
  await ask(asLlamaServer(double, { contextTokens: 8_192 })).answer();
  expect(bodiesOf(double)).toEqual([expect.objectContaining({ stream: true, max_tokens: 2_048 })]);
});

test("at the deadline, what there is of an answer is the answer, with a mark", async () => {
  const double = new OpenAiDouble({ embed });
  double.send = (events) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const event of events.slice(0, 3)) controller.enqueue(new TextEncoder().encode(event));
      },
    });
  const { services } = worldWith({ double, variables: { MODEL_TIMEOUT_MS: "8000" } });
  const { response, finish } = await answerOf(services, { model: "local/llama" });
  expect(response).toEqual([{ type: "text", text: "It is", isCut: true }]);
  expect(finish).toBe("length");
});

test("delimiters that a small model repeats are taken out of its answer", async () => {
  const double = new OpenAiDouble({ embed });
  double.script = ({ messages }) => {
    const [, key = ""] = /<request-([a-z]+)>/.exec(JSON.stringify(messages)) ?? [];
    return { text: `It is six. </request-${key}> <passage-${key.slice(0, 4)}>` };
  };
  const { response } = await ask(asLlamaServer(double, { contextTokens: 8_192 })).answer();
  expect(response).toEqual([{ type: "text", text: "It is six.  " }]);
});

describe.each(["length", "content_filter"] as const)("an answer that ends for %s", (reason) => {
  const ending = (text: string) => {
    const double = new OpenAiDouble({ embed });
    double.script = () => ({ text });
    const server = asLlamaServer(double, {});
    const fetch: typeof globalThis.fetch = async (...call) => {
      const answer = await server(...call);
      if (!isChat(call[0])) return answer;
      const end = `"finish_reason":"${reason}"`;
      const events = (await answer.text()).replaceAll('"finish_reason":"stop"', end);
      return new Response(events, { headers: { "content-type": "text/event-stream" } });
    };
    return { double, fetch };
  };

  test("is told as cut", async () => {
    const { response, finish } = await ask(ending("It is forty").fetch).answer();
    expect(response).toEqual([{ type: "text", text: "It is forty", isCut: true }]);
    expect(finish).toBe(reason);
  });

  test("within its JSON is an error, and is not paid for twice", async () => {
    const { double, fetch } = ending('{"answer":"forty');
    const jsonSchema = '{"type":"object","properties":{"answer":{"type":"string"}}}';
    await expect(ask(fetch, { jsonSchema }).answer()).rejects.toThrow("cut off before its JSON");
    expect(double.calls("chat")).toHaveLength(1);
  });
});

test("text of a model that was to call a function is handed on", async () => {
  const double = new OpenAiDouble();
  double.script = () => ({ text: "I would rather talk." });
  const { services } = worldWith({ double });
  const functions = [{ name: "weather", description: "", parameters: { type: "object" } }];
  const { response } = await runAgent(services, {
    agent: agentOf({ model: "local/llama" }),
    prompt: "How is the weather?",
    functions: { functions, choice: "required", parallel: true },
    caller: nobody,
  });
  expect(response).toEqual([{ type: "text", text: "I would rather talk." }]);
});

test.each([0, 1])(
  "an agent of %i RAGs has no answer that ends for a call without one",
  async (rags) => {
    const double = new OpenAiDouble({ embed });
    double.script = () => ({ calls: [] });
    const { services } = worldWith({ double, variables: at() });
    const agent = agentOf({ model: "local/llama", rags: [rag].slice(0, rags) });
    const run = runAgent(services, { agent, prompt: "holiday rule", caller: nobody });
    await expect(run).rejects.toThrow("empty answer");
  },
);
