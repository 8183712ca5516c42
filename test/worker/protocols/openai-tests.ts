import { beforeAll, describe, expect, test } from "vitest";

import { newToken } from "../../../src/access/credential-format.ts";
import { call } from "../../support/worker-client.ts";
import { REFUSED_CHATS } from "./refused.ts";
import { openAiErrorOf as errorOf, program, type ProtocolsWorld } from "./world.ts";

export function openAiTests(getWorld: () => ProtocolsWorld): void {
  let world: ProtocolsWorld;
  let api: ReturnType<typeof program>;

  beforeAll(async () => {
    world = getWorld();
    api = program(await world.token());
  });

  const question = { role: "user", content: "How many days of leave are there?" };
  const ask = (more: object = {}) => ({ model: "inference/ask", messages: [question], ...more });

  test("models are what the token covers", async () => {
    const { status, body } = await api.get("/v1/models");
    expect(status).toBe(200);
    const { object, data } = body as { object: string; data: { id: string }[] };
    expect(object).toBe("list");
    expect(data.map(({ id }) => id)).toEqual(
      ["ask", "hidden", "plain", "tools"]
        .map((identifier) => `inference/${identifier}`)
        .concat("agent/helper", "agent/spy"),
    );
    expect(data[0]).toMatchObject({
      object: "model",
      created: expect.any(Number),
      owned_by: "quarry",
    });
    expect(await api.get("/v1/models/inference%2Fask")).toMatchObject({
      status: 200,
      body: data[0],
    });
    expect((await api.get("/v1/models/agent/helper")).body).toMatchObject({ id: "agent/helper" });
    expect(errorOf(await api.get("/v1/models/gpt-4o"))).toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
      type: "invalid_request_error",
    });
    const none = program(await world.token({ rags: [], inferences: [], agents: [] }));
    const emptyList = { object: "list", data: [], last_id: null, has_more: false };
    expect((await none.get("/v1/models")).body).toEqual(emptyList);
    expect((await none.get("/v1/vector_stores")).body).toEqual({ ...emptyList, first_id: null });
  });

  describe("chat completions", () => {
    test("the last message is searched and answered; usage is told", async () => {
      const { status, body, headers } = await api.post("/v1/chat/completions", ask({ top_p: 0.5 }));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-\w{32}$/),
        object: "chat.completion",
        model: "inference/ask",
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: expect.stringContaining("thirty days"),
              refusal: null,
            },
            finish_reason: "stop",
          },
        ],
        usage: { total_tokens: expect.any(Number) },
      });
      const { usage } = body as { usage: Record<string, number> };
      expect(usage["prompt_tokens"]).toBeGreaterThan(20);
      expect(headers.get("X-Ignored-Fields")).toBe("top_p");
      expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get("RateLimit-Policy")).toMatch(/^"api";q=/);
    });

    test("agents and inferences of every kind answer, with earlier turns and parts", async () => {
      const messages = [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hello, how can I help?" },
        { role: "user", content: [{ type: "text", text: question.content }] },
      ];
      for (const model of ["agent/helper", "inference/tools", "inference/plain", "inference/ask"]) {
        const { status, body } = await api.post("/v1/chat/completions", ask({ model, messages }));
        expect({ model, status }).toEqual({ model, status: 200 });
        const [choice] = (body as { choices: { message: { content: string } }[] }).choices;
        expect(choice?.message.content).not.toBe("");
      }
    });

    test("a model's name needs no slash; the last turn may be an answer or instructions", async () => {
      for (const model of ["ask", "inference:ask", "agent:helper", "agent/helper"]) {
        expect(await api.post("/v1/chat/completions", ask({ model }))).toMatchObject({
          status: 200,
          body: { model },
        });
      }
      const partialAnswer = { role: "assistant", content: "There are" };
      const asInstructions = { ...question, role: "system" };
      for (const messages of [[question, partialAnswer], [asInstructions]]) {
        const { body } = await api.post("/v1/chat/completions", ask({ messages }));
        expect(JSON.stringify(body)).toContain("thirty days");
      }
      const hints = [api.post("/v1/completions", {}), api.get("/v1/chat/completions")];
      for (const answer of await Promise.all(hints)) {
        const message = expect.stringContaining("is POST /v1/chat/completions meant?");
        expect(errorOf(answer)).toMatchObject({ status: 404, message });
      }
    });

    test("an answer follows a schema, and json_object gives an object", async () => {
      const schema = {
        type: "object",
        properties: { answer: { type: "string" } },
        required: ["answer"],
      };
      const json_schema = { name: "answer", strict: true, schema };
      for (const response_format of [
        { type: "json_schema", json_schema },
        { type: "json_object" },
      ]) {
        for (const model of ["inference/ask", "agent/helper"]) {
          const { status, body } = await api.post(
            "/v1/chat/completions",
            ask({ model, response_format }),
          );
          expect(status).toBe(200);
          const [choice] = (body as { choices: { message: { content: string } }[] }).choices;
          expect(JSON.parse(choice?.message.content ?? "")).toBeTypeOf("object");
        }
      }
    });

    test("what cannot be done is a 400 that names its parameter", async () => {
      for (const [more, param] of REFUSED_CHATS) {
        const error = errorOf(await api.post("/v1/chat/completions", ask(more)));
        expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param });
        expect(error).toHaveProperty("message", expect.stringContaining(param));
      }
      const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
      const invalidMessage = errorOf(
        await api.post(
          "/v1/chat/completions",
          ask({ messages: [{ role: "user", content: [image] }] }),
        ),
      );
      const message =
        "Invalid request: messages[0].content[0].type must be text: other parts are not supported";
      expect(invalidMessage).toMatchObject({ status: 400, message });
      for (const path of ["/v1/chat/completions", "/v1/vector_stores/notes/search"]) {
        const message = "Invalid request: body is not valid JSON";
        expect(errorOf(await api.post(path, "{"))).toMatchObject({ status: 400, message });
      }
      const long = errorOf(await api.post("/v1/chat/completions", ask({ model: "x".repeat(9e5) })));
      expect(long).toMatchObject({ status: 404, code: "model_not_found" });
      expect(String("message" in long && long.message).length).toBeLessThan(300);
    });
  });

  test("with includeSources the answer says which file stands behind which words", async () => {
    const { body } = await api.post("/v1/chat/completions", ask({ includeSources: true }));
    const [choice] = (body as { choices: { message: Cited }[] }).choices;
    const { content, annotations } = choice?.message ?? { content: "", annotations: [] };
    expect(annotations).toContainEqual({
      type: "file_citation",
      file_citation: {
        file_id: "notes/handbook/leave.md",
        filename: "handbook/leave.md",
        start_index: expect.any(Number),
        end_index: expect.any(Number),
      },
    });
    const words = annotations.map(({ file_citation: { start_index, end_index } }) =>
      content.slice(start_index, end_index),
    );
    expect(words.join(" ")).toContain("thirty days");
  });

  test("a stream ends as it should, and says the same as the plain answer", async () => {
    const plain = await api.post("/v1/chat/completions", ask());
    const [choice] = (plain.body as { choices: { message: { content: string } }[] }).choices;
    const body = ask({ stream: true, stream_options: { include_usage: true } });
    const { status, body: text, headers } = await api.post("/v1/chat/completions", body);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("text/event-stream");
    const events = String(text)
      .trim()
      .split("\n\n")
      .filter((event) => event.startsWith("data: "));
    expect(events.at(-1)).toBe("data: [DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice(6)) as Chunk);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(content).toBe(choice?.message.content);
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) },
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test("whoever has no good token is told so in OpenAI's form; sessions do not count", async () => {
    const bad = program("qry_wrong");
    for (const caller of [program(null), bad, program(newToken())]) {
      for (const path of [
        "/v1/models",
        "/v1/models/inference/ask",
        "/v1/vector_stores",
        "/v1/vector_stores/notes",
      ]) {
        const { headers, ...answer } = await caller.get(path);
        expect(errorOf(answer)).toMatchObject({ status: 401, code: "invalid_api_key" });
        expect(headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
      }
      for (const body of [{ nothing: 1 }, "{", "x".repeat(2 ** 20 + 1), `[${"0,".repeat(3e4)}0]`]) {
        const { headers, ...answer } = await caller.post("/v1/chat/completions", body);
        expect(errorOf(answer)).toMatchObject({ status: 401 });
        expect(headers.get("X-Ignored-Fields")).toBeNull();
      }
      expect(errorOf(await caller.post("/v1/vector_stores/notes/search", {}))).toMatchObject({
        status: 401,
      });
    }
    const session = await call("POST", "/panel/api/session", {
      body: JSON.stringify({ email: "admin@localhost", password: "quarry" }),
    });
    const Cookie = session.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
    expect((await call("GET", "/v1/models", { headers: { Cookie } })).status).toBe(401);
    expect(errorOf(await bad.post("/v1/embeddings", "{"))).toMatchObject({ status: 401 });
    for (const path of ["/v1/responses", "/v1/chat/completions", "/v1/vector_stores/notes/search"])
      expect(errorOf(await bad.get(path))).toMatchObject({ status: 404 });
    expect(errorOf(await bad.post("/v1/models", {}))).toMatchObject({ status: 404 });
  });
}

type Chunk = { id: string; choices: { delta: { role?: string; content?: string } }[] };

type Cited = {
  content: string;
  annotations: { file_citation: { start_index: number; end_index: number } }[];
};
