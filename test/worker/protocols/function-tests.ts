import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { sayWithFunctions, type ChatBody } from "../../doubles/openai-compatible/chat-answer.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { answeredBy, serviceWith } from "./service-with.ts";
import type { ProtocolsWorld } from "./world.ts";

const question = { role: "user", content: "How many days of leave are there?" };
const functionOf = (name: string) => {
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  return { type: "function", function: { name, description: "Tells of a city.", parameters } };
};
const WEATHER = functionOf("get_weather");
const TIME = functionOf("get_time");
const CALL = { type: "function", function: { name: "get_weather", arguments: '{"city":"Ghent"}' } };

type ToolCall = typeof CALL & { id: string; index?: number };
type Answer = { content: string | null; tool_calls?: ToolCall[] };
type Choice = { finish_reason: string | null; message: Answer; delta: Answer };

export function functionTests(getWorld: () => ProtocolsWorld): void {
  let token: string;
  let double: OpenAiDouble;

  beforeAll(async () => {
    token = await getWorld().token();
  });
  beforeEach(() => {
    double = new OpenAiDouble();
    double.script = sayWithFunctions;
  });

  const send = async (more: object) => {
    const body = { model: "inference/ask", messages: [question], ...more };
    return await serviceWith(answeredBy(double))(token, { path: "/v1/chat/completions", body });
  };
  /** The answer, put together from its chunks where it was streamed. */
  const answer = async (more: object): Promise<Answer & { finish: string | null }> => {
    const { status, text } = await send(more);
    expect({ status, text }).toMatchObject({ status: 200 });
    if (!("stream" in more)) {
      const [choice] = (JSON.parse(text) as { choices: Choice[] }).choices;
      return { content: null, ...choice?.message, finish: choice?.finish_reason ?? null };
    }
    const chunks = text.split("\n\n").filter((event) => event.startsWith("data: {"));
    const parts = chunks.map(
      (event) => (JSON.parse(event.slice(6)) as { choices: Choice[] }).choices[0],
    );
    const tool_calls = parts.flatMap((part) => part?.delta.tool_calls ?? []);
    const content = parts.map((part) => part?.delta.content ?? "").join("");
    return {
      content: content === "" ? null : content,
      finish: parts.at(-1)?.finish_reason ?? null,
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
    };
  };
  const chatRequests = () => double.calls("chat").map(({ body }) => body as ChatBody);
  const namesOf = ({ tools = [] }: ChatBody) => tools.map((tool) => tool.function.name);

  describe.each([
    ["an inference", { model: "inference/ask" }],
    ["an inference, streamed", { model: "inference/ask", stream: true }],
    ["an inference that searches by tools", { model: "inference/tools" }],
    ["an agent", { model: "agent/helper" }],
    ["an agent, streamed", { model: "agent/helper", stream: true }],
  ])("functions of the caller: %s", (_what, how) => {
    test("calls are handed back, and their results are answered from", async () => {
      const tools = [WEATHER];
      const first = await answer({ ...how, tools });
      expect(first).toMatchObject({ content: null, tool_calls: [CALL], finish: "tool_calls" });
      // The passages are there before the call: in the prompt, or as the result of a search.
      expect(JSON.stringify(chatRequests().at(-1)?.messages)).toContain("thirty days of leave");
      const { tool_calls } = first;
      const [toolCall] = tool_calls ?? [];
      const result = { role: "tool", tool_call_id: toolCall?.id, content: "rain" };
      const messages = [question, { role: "assistant", content: null, tool_calls }, result];
      const second = await answer({ ...how, tools, messages });
      expect(second).toMatchObject({ content: expect.stringMatching(/thirty days.* rain$/) });
      expect(second.finish).toBe("stop");
      const sentMessages = chatRequests().at(-1)?.messages ?? [];
      expect(sentMessages).toContainEqual(
        expect.objectContaining({ role: "tool", content: "rain" }),
      );
    });
  });

  test("an agent's last step may still call functions, and searches no more", async () => {
    double.script = (body) => {
      const name =
        namesOf(body).find((candidate) => candidate.startsWith("search_")) ?? "get_weather";
      return { calls: [{ name, arguments: '{"query":"leave","city":"Ghent"}' }] };
    };
    const { tool_calls } = await answer({ model: "agent/helper", tools: [WEATHER] });
    expect(tool_calls).toMatchObject([{ function: { name: "get_weather" } }]);
    expect(namesOf(chatRequests().at(-1) ?? { model: "", messages: [] })).toEqual(["get_weather"]);
  });

  test("the caller chooses: none, one of them, one at a time", async () => {
    const tools = [WEATHER, TIME];
    expect(await answer({ tools, tool_choice: "none" })).toMatchObject({ finish: "stop" });
    const tool_choice = { type: "function", function: { name: "get_time" } };
    for (const model of ["inference/ask", "agent/helper"]) {
      const { tool_calls } = await answer({ model, tools, tool_choice });
      expect(tool_calls).toMatchObject([{ function: { name: "get_time" } }]);
    }
    expect(chatRequests().at(-1)).toMatchObject({ tool_choice: "required" });
    expect((await answer({ tools })).tool_calls).toHaveLength(2);
    expect((await answer({ tools, parallel_tool_calls: false })).tool_calls).toHaveLength(1);
    const choice = {
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: [{ type: "function", function: { name: "get_time" } }],
      },
    };
    const { tool_calls } = await answer({ tools, tool_choice: choice });
    expect(tool_calls).toMatchObject([{ function: { name: "get_time" } }]);
  });

  test("a function with the name of a search is refused", async () => {
    const tools = [functionOf("search_notes")];
    const { status, text } = await send({ model: "agent/helper", tools });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: { param: "tools", message: expect.stringContaining("search_notes") },
    });
    // Here nothing of this name is offered.
    expect(await answer({ tools })).toMatchObject({ finish: "tool_calls" });
  });

  test("hosted tools beside functions are left out and named, unless one must run", async () => {
    const hosted = [{ type: "web_search", search_content_types: ["text"] }, { type: "namespace" }];
    const tools = [hosted[0], WEATHER, hosted[1], { type: "custom", name: "apply_patch" }];
    const { status, headers } = await send({ tools, tool_choice: "auto" });
    expect(status).toBe(200);
    const ignored = "tools.web_search, tools.namespace, tools.custom";
    expect(headers.get("X-Ignored-Fields")).toBe(ignored);
    expect(chatRequests().map(namesOf)).toEqual([["get_weather"]]);
    expect(await send({ tools: hosted })).toMatchObject({ status: 200 });
    for (const [tool_choice, toolNames] of [
      ["required", "web_search, namespace"],
      [{ type: "namespace" }, "namespace"],
    ] as const) {
      const refusal = await send({ tools: hosted, tool_choice });
      const message = `Invalid request: tool_choice must be auto, none or a function: Quarry does not run ${toolNames}`;
      expect({ ...refusal, error: JSON.parse(refusal.text) as unknown }).toMatchObject({
        status: 400,
        error: { error: { param: "tool_choice", message } },
      });
    }
    // The place in the request stays the caller's.
    const broken = [hosted[0], { type: "function", function: { name: "with space" } }];
    expect((await send({ tools: broken })).text).toContain(
      "tools[1].function.name must be 1 to 64",
    );
  });

  test("json_object with a schema is answered by that schema", async () => {
    const schema = { type: "object", required: ["answer"], properties: { answer: {} } };
    const response_format = { type: "json_object", schema };
    expect(await answer({ response_format })).toMatchObject({ content: '{"answer":"forty-two"}' });
    expect(chatRequests()[0]).toMatchObject({ response_format: { json_schema: { schema } } });
    // A call comes before the answer, which then follows the schema.
    const first = await answer({ response_format, tools: [WEATHER] });
    expect(first).toMatchObject({ content: null, finish: "tool_calls" });
  });
}
