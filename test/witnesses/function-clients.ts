import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { Agent, OpenAIProvider, Runner, tool as agentTool } from "@openai/agents";
import { chat, EventType, toolDefinition } from "@tanstack/ai";
import { createOpenaiChat } from "@tanstack/ai-openai";
import { embedMany, generateText, isStepCount, streamText, tool } from "ai";
import OpenAI from "openai";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { expect } from "vitest";
import { z } from "zod";

import type { Served } from "./clients.ts";

/*
 * Programs that hand the model a function of their own, at their default settings, against a model
 * that searches, calls every function, and tells what it was told.
 */

const MODELS = ["inference/ask", "agent/ask"];
const QUESTION = "What do otters build?";
/** The answer from the documents; `WITH_FUNCTION` adds what the function says. */
const ANSWER = /holts/;
const WITH_FUNCTION = /holts.*rain/;

const NAME = "get_weather";
const DESCRIPTION = "Tells the weather of a city.";
const City = z.object({ city: z.string() });
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

const weatherIn = ({ city }: { city: string }) => {
  expect(city).toBe("Ghent");
  return "rain";
};

/** https://github.com/openai/openai-node: chat completions with its own tool loop. */
export async function openAiChat({ url, token }: Served): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
  const messages = [{ role: "user" as const, content: QUESTION }];
  const parse = (text: string) => City.parse(JSON.parse(text));
  const called = { name: NAME, description: DESCRIPTION, parameters: SCHEMA };
  const tools = [
    { type: "function" as const, function: { ...called, parse, function: weatherIn } },
  ];
  for (const model of MODELS) {
    const plain = client.chat.completions.runTools({ model, messages, tools });
    expect(await plain.finalContent()).toMatch(WITH_FUNCTION);
    const streamed = client.chat.completions.runTools({ model, messages, tools, stream: true });
    expect(await streamed.finalContent()).toMatch(WITH_FUNCTION);
  }
}

/** https://github.com/openai/openai-node: responses; earlier output items are sent as they came. */
export async function openAiResponses({ url, token }: Served): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
  const tools = [
    {
      type: "function" as const,
      name: NAME,
      description: DESCRIPTION,
      parameters: SCHEMA,
      strict: true,
    },
  ];
  for (const model of MODELS) {
    const plain = await client.responses.create({ model, input: QUESTION });
    expect(plain.output_text).toMatch(ANSWER);
    expect(plain.usage?.total_tokens).toBeGreaterThan(0);
    const streamed = client.responses.stream({ model, input: QUESTION });
    let deltas = "";
    streamed.on("response.output_text.delta", ({ delta }) => (deltas += delta));
    const { output_text: whole, status } = await streamed.finalResponse();
    expect({ status, whole }).toEqual({ status: "completed", whole: deltas });
    expect(whole).toMatch(ANSWER);

    const question = { role: "user" as const, content: QUESTION };
    const first = await client.responses
      .stream({ model, input: [question], tools })
      .finalResponse();
    const results = first.output.flatMap((item) =>
      item.type === "function_call"
        ? [
            {
              type: "function_call_output" as const,
              call_id: item.call_id,
              output: weatherIn(City.parse(JSON.parse(item.arguments))),
            },
          ]
        : [],
    );
    expect(results).toHaveLength(1);
    const input = [question, ...asSent(first.output), ...results];
    const second = await client.responses.create({ model, input, tools });
    expect(second.output_text).toMatch(WITH_FUNCTION);
    const followUp = { role: "user" as const, content: "And what else?" };
    const third = await client.responses.create({
      model,
      input: [...input, ...asSent(second.output), followUp],
    });
    expect(third.output_text).not.toBe("");
  }
  const schema = { type: "object", properties: { answer: { type: "string" } } };
  const text = { format: { type: "json_schema" as const, name: "answer", schema } };
  const structured = { model: "inference/ask", input: QUESTION, text };
  expect((await client.responses.parse(structured)).output_parsed).toEqual({ answer: "forty-two" });
}

/** Its types keep apart what it says can be sent as it came. */
const asSent = (items: ResponseOutputItem[]) => items as ResponseInputItem[];

/** https://openai.github.io/openai-agents-js/ */
export async function openAiAgents({ url, token }: Served): Promise<void> {
  const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: token });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const weather = agentTool({
    name: NAME,
    description: DESCRIPTION,
    parameters: City,
    execute: weatherIn,
  });
  for (const model of MODELS) {
    for (const [tools, answer] of [
      [[], ANSWER],
      [[weather], WITH_FUNCTION],
    ] as const) {
      const agent = new Agent({ name: "Helper", instructions: "Help.", model, tools: [...tools] });
      expect((await runner.run(agent, QUESTION)).finalOutput).toMatch(answer);
      const streamed = await runner.run(agent, QUESTION, { stream: true });
      let deltas = "";
      for await (const part of streamed.toTextStream()) deltas += part;
      await streamed.completed;
      expect(deltas).toMatch(answer);
      expect(streamed.finalOutput).toMatch(answer);
    }
  }
}

/** https://ai-sdk.dev/providers/ai-sdk-providers/openai: responses unless told otherwise. */
export async function aiSdkOpenAi({ url, token }: Served): Promise<void> {
  const baseURL = `${url}/v1`;
  const openai = createOpenAI({ baseURL, apiKey: token });
  const compatible = createOpenAICompatible({
    name: "quarry",
    baseURL,
    apiKey: token,
    includeUsage: true,
  });
  const weather = tool({ description: DESCRIPTION, inputSchema: City, execute: weatherIn });
  for (const model of MODELS.flatMap((name) => [openai(name), compatible(name)])) {
    for (const [tools, answer] of [
      [{}, ANSWER],
      [{ [NAME]: weather }, WITH_FUNCTION],
    ] as const) {
      const options = { model, prompt: QUESTION, tools, stopWhen: isStepCount(3) };
      expect((await generateText(options)).text).toMatch(answer);
      const streamed = streamText(options);
      expect(await streamed.text).toMatch(answer);
      expect((await streamed.usage).totalTokens).toBeGreaterThan(0);
    }
  }
  // At its defaults it refers to earlier answers by id, and Quarry stores nothing.
  const model = openai("inference/ask");
  const question = { role: "user" as const, content: QUESTION };
  const { response } = await generateText({ model, messages: [question] });
  const continuation = { model, messages: [question, ...response.messages, question] };
  await expect(generateText(continuation)).rejects.toThrow(/store: false/);
  const providerOptions = { openai: { store: false } };
  expect((await generateText({ ...continuation, providerOptions })).text).toMatch(ANSWER);
}

/** https://tanstack.com/ai/latest/docs/adapters/openai */
export async function tanStackAi({ url, token }: Served): Promise<void> {
  const definition = { name: NAME, description: DESCRIPTION, inputSchema: City };
  const weather = toolDefinition(definition).server((input) => weatherIn(input));
  const messages = [{ role: "user" as const, content: QUESTION }];
  for (const model of MODELS) {
    // Its types know the names of OpenAI's models alone.
    const adapter = createOpenaiChat(model as "gpt-5", token, { baseURL: `${url}/v1` });
    for (const [tools, answer] of [
      [[], ANSWER],
      [[weather], WITH_FUNCTION],
    ] as const) {
      const options = { adapter, messages, tools: [...tools] };
      expect(await chat({ ...options, stream: false })).toMatch(answer);
      let deltas = "";
      for await (const event of chat(options)) {
        if (event.type === EventType.TEXT_MESSAGE_CONTENT) deltas += event.delta;
      }
      expect(deltas).toMatch(answer);
    }
  }
}

/** https://js.langchain.com/docs/integrations/chat/openai */
export async function langChainFunctions({ url, token }: Served): Promise<void> {
  const configuration = { baseURL: `${url}/v1` };
  const weather = langChainTool(weatherIn, {
    name: NAME,
    description: DESCRIPTION,
    schema: City,
  });
  for (const useResponsesApi of [false, true]) {
    for (const model of MODELS) {
      const options = { model, apiKey: token, configuration, useResponsesApi };
      const bound = new ChatOpenAI(options).bindTools([weather]);
      const called = await bound.invoke(QUESTION);
      const [call] = called.tool_calls ?? [];
      const content = await weather.invoke(City.parse(call?.args));
      const result = new ToolMessage({ content, tool_call_id: call?.id ?? "" });
      const conversation = [{ role: "user", content: QUESTION }, called, result];
      expect((await bound.invoke(conversation)).text).toMatch(WITH_FUNCTION);
      let deltas = "";
      for await (const part of await bound.stream(conversation)) deltas += part.text;
      expect(deltas).toMatch(WITH_FUNCTION);
    }
  }
}

/** The clients' defaults: base64 for OpenAI's own, numbers for the others. */
export async function embeddings({ url, token }: Served): Promise<void> {
  const [baseURL, model, values] = [`${url}/v1`, "embedded/hash", ["otters", "holts"]];
  const client = new OpenAI({ baseURL, apiKey: token });
  const { data } = await client.embeddings.create({ model, input: values });
  const expected = data.map(({ embedding }) => embedding);
  expect(expected.map((vector) => Math.hypot(...vector).toFixed(3))).toEqual(["1.000", "1.000"]);
  const embedder = createOpenAI({ baseURL, apiKey: token }).embeddingModel(model);
  const result = await embedMany({ model: embedder, values });
  expect(result.usage.tokens).toBeGreaterThan(0);
  expect(result.embeddings).toEqual(expected);
  const langChain = new OpenAIEmbeddings({ model, apiKey: token, configuration: { baseURL } });
  expect(await langChain.embedDocuments(values)).toEqual(expected);
}
