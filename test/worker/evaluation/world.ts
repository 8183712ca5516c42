import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { createApp } from "../../../src/http/app.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { panelApi } from "../../../src/panel/api/app.ts";
import { panelPages } from "../../../src/panel/pages/app.ts";
import { protocols } from "../../../src/protocols/app.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";
import { testedEnv } from "../../support/tested-adapters.ts";
import { freshAddress, ORIGIN } from "../../support/worker-client.ts";

/** Fields of an answer that the tests read; the call decides which are there. */
type Body = {
  id: string;
  key: string;
  token: string;
  error: string | null;
  facts: Record<string, unknown>;
  summary: { cost: { amount: number }; judge: unknown };
  measures: { measure: string }[];
  data: { id: string; question: string; error: string | null; judge?: unknown }[];
};
type Answer = { status: number; body: Body };

/** The panel API over the world's services; signed in. */
export async function panelOf(world: World) {
  const app = createApp(() => world.services);
  app.route("/", protocols());
  app.route("/panel/api", panelApi());
  app.route("/panel", panelPages());
  const headers: Record<string, string> = { Origin: ORIGIN };
  const send = async (method: string, path: string, body?: unknown, type?: string) => {
    const context = createExecutionContext();
    const response = await app.fetch(
      new Request(`${ORIGIN}/panel/api${path}`, {
        method,
        headers: {
          ...headers,
          "X-Forwarded-For": freshAddress(),
          ...(type === undefined ? {} : { "Content-Type": type }),
        },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      }),
      testedEnv,
      context,
    );
    await waitOnExecutionContext(context);
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.includes("application/json") === true;
    const answer: Answer = {
      status: response.status,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
    return { ...answer, cookie: response.headers.get("Set-Cookie")?.split(";", 1)[0] ?? "" };
  };
  const fetched = async (path: string, init: RequestInit & { headers: Record<string, string> }) => {
    const context = createExecutionContext();
    init.headers["X-Forwarded-For"] = freshAddress();
    const response = await app.fetch(new Request(`${ORIGIN}${path}`, init), testedEnv, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    return { status: response.status, text };
  };
  /** A page of the panel as the administrator sees it. */
  const page = async (path: string) => await fetched(path, { headers: { ...headers } });
  /** A call of the public API with a token. */
  const ask = async (path: string, token: string, body: unknown) => {
    const authorization = { Authorization: `Bearer ${token}` };
    const accepts = { Accept: "application/json, text/event-stream;q=0.1" };
    const json = JSON.stringify(body);
    return await fetched(path, {
      method: "POST",
      headers: { ...authorization, ...(path === "/mcp" ? accepts : {}) },
      body: json,
    });
  };
  const signIn = { email: "admin@localhost", password: "quarry" };
  headers["Cookie"] = (await send("POST", "/session", signIn)).cookie;
  return { send, page, ask, asNobody: () => delete headers["Cookie"], headers };
}

const CHAT = { OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1" };
export const FACTS = 5;

const word = (file: number, fact: number) => `zq${String.fromCharCode(97 + file)}x${fact}y`;
export const question = (file: number, fact: number) => `How heavy is the ${word(file, fact)}?`;

/** A RAG of files with 5 facts each, indexed; chat models are the double's. */
export async function indexedWorld(files: number) {
  const double = new OpenAiDouble();
  const world = new World();
  const config = { ...world.services.config, ...CHAT };
  const models = modelRegistry(config, { fetch: double.fetch });
  world.services = { ...world.services, config, models };
  const { source, rag } = await world.addSourceAndRag();
  for (let file = 0; file < files; file++) {
    const facts = Array.from({ length: FACTS }, (_, fact) => {
      return `The ${word(file, fact)} weighs ${file * 10 + fact} grams.`;
    });
    await putFile(world.services, {
      source: { id: source },
      path: `f${file}.md`,
      body: bytesOf(facts.join("\n\n")),
      contentLength: null,
      mimeType: "text/markdown",
      metadata: null,
    });
  }
  await world.deliver();
  world.usage.splice(0);
  return { world, double, rag, panel: await panelOf(world) };
}
