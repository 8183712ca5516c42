import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import type { ModelPlace } from "../../../src/cli/demo/local-servers.ts";
import { modelSettings } from "../../../src/cli/demo/model-settings.ts";
import type { ModelChoice } from "../../../src/cli/demo/model-settings.ts";
import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../../doubles/openai-compatible/serve.ts";

const DIMENSIONS = 8;
let state = "";
let closers: (() => Promise<void>)[] = [];
let doubles: OpenAiDouble[] = [];

beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), "quarry-models-"));
  closers = [];
  doubles = [];
  nobody = { ...(await listening(() => undefined)), program: "vLLM" };
  await Promise.all(closers.splice(0).map((close) => close()));
});
afterEach(async () => {
  await Promise.all(closers.map((close) => close()));
  rmSync(state, { recursive: true, force: true });
});

/** A program that serves these models, at a port that stands for its usual one. */
async function serving(program: string, models: string[], size = DIMENSIONS): Promise<ModelPlace> {
  const double = new OpenAiDouble({ models, embed: () => Array.from({ length: size }, () => 1) });
  doubles.push(double);
  const { baseUrl, close } = await serveOpenAi(double);
  closers.push(close);
  return { program, port: Number(new URL(baseUrl).port) };
}

async function listening(listener: RequestListener): Promise<ModelPlace> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { program: "Ollama", port: (server.address() as AddressInfo).port };
}

/** A place where nothing listens. */
let nobody: ModelPlace = { program: "vLLM", port: 0 };
const choose = (choice: ModelChoice, environment: NodeJS.ProcessEnv = {}) =>
  modelSettings(environment, state, choice);

test("a server of this machine is used, and said with how to choose otherwise", async () => {
  const ollama = await serving("Ollama", ["qwen3:8b", "nomic-embed-text:latest"]);
  const found = await choose({ places: [nobody, ollama] });
  const baseUrl = `http://127.0.0.1:${ollama.port}/v1`;
  expect(found.vars).toEqual([
    `OPENAI_COMPATIBLE_BASE_URL:${baseUrl}`,
    "EMBEDDING_MODEL:local/nomic-embed-text:latest",
    `EMBEDDING_DIMENSIONS:${DIMENSIONS}`,
  ]);
  expect(found.chatModel).toBe("local/qwen3:8b");
  expect(found.about).toBe(
    `Models: local/qwen3:8b answers, local/nomic-embed-text:latest embeds, with Ollama at ${baseUrl}. ` +
      "To use others, set CHAT_MODEL and EMBEDDING_MODEL; --embedded uses the built-in ones.",
  );
});

test("a server with both kinds of models is preferred; one that only answers will do", async () => {
  const answering = await serving("llama.cpp", ["mistral"]);
  const both = await serving("vLLM", ["gemma3", "bge-m3"]);
  const of = async (...places: ModelPlace[]) => {
    const { chatModel, embeddingModel } = await choose({ places });
    return [chatModel, embeddingModel];
  };
  expect(await of(answering, both)).toEqual(["local/gemma3", "local/bge-m3"]);
  expect(await of(nobody, answering)).toEqual(["local/mistral", "embedded/hash"]);
});

test("--embedded, and what the environment names, win over what is found", async () => {
  const places = [await serving("Ollama", ["qwen3", "llama3.2:latest", "bge-m3"])];
  expect((await choose({ places, embedded: true })).vars).toEqual([]);
  const named = await choose({ places }, { CHAT_MODEL: "local/llama3.2" });
  expect(named).toMatchObject({
    chatModel: "local/llama3.2:latest",
    embeddingModel: "local/bge-m3",
  });
  const remote = await choose({ places }, { CHAT_MODEL: "openai/gpt-4o" });
  expect(remote).toMatchObject({ chatModel: "openai/gpt-4o", embeddingModel: "embedded/hash" });
  expect(remote.vars).toEqual([]);
  const missing = choose({ places }, { CHAT_MODEL: "local/absent" });
  await expect(missing).rejects.toThrow(/No server .* lists local\/absent/);
});

test("a server that hangs, breaks or is none leaves the built-in models, and is said", async () => {
  const hanging = await listening(() => undefined);
  const unsent = await listening((_request, response) => response.write('{"data":['));
  const broken = await listening((_request, response) => response.destroy());
  const page = await listening((_request, response) => response.end("<p>Hello</p>"));
  const closed = await listening((_request, response) => response.writeHead(401).end());
  const empty = await listening((_request, response) => response.end('{"data":null}'));
  const { vars, about } = await choose({
    places: [hanging, unsent, broken, page, closed, empty, nobody],
  });
  expect(vars).toEqual([]);
  expect(about.replaceAll(/http:\S+:/g, "")).toBe(
    "Models: embedded/extractive answers, embedded/hash embeds. No model server is used: " +
      [
        `${hanging.port}/v1 (port of Ollama) does not answer within 500 ms`,
        `${unsent.port}/v1 (port of Ollama) does not answer within 500 ms`,
        `${broken.port}/v1 (port of Ollama) breaks off its answer`,
        `${page.port}/v1 (port of Ollama) does not list models`,
        `${closed.port}/v1 (port of Ollama) answers 401`,
        `${empty.port}/v1 (port of Ollama) lists no model that would be used.`,
      ].join("; "),
  );
});

test("a list that never ends is not read to its end", async () => {
  const endless = await listening((_request, response) => {
    const more = () => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  });
  expect((await choose({ places: [endless] })).about).toContain("No model server is used");
});

test("a model that cannot embed leaves the built-in ones, and is said", async () => {
  const places = [await serving("Ollama", ["qwen3", "large-embed"], 4_096)];
  const { vars, about } = await choose({ places });
  expect(vars).toEqual([]);
  expect(about).toMatch(/could not embed with local\/large-embed\.$/);
});

test("an existing index keeps its embedding model until another is named", async () => {
  const places = [await serving("Ollama", ["qwen3", "new-embed", "bge-m3"])];
  const builtIn = await choose({ places, madeWith: "embedded/hash" });
  expect(builtIn).toMatchObject({ chatModel: "local/qwen3", embeddingModel: "embedded/hash" });
  expect(builtIn.about).toContain(
    "embedded/hash embeds as before (local/new-embed is available, too)",
  );
  const kept = await choose({ places, madeWith: "local/bge-m3" });
  expect(kept.embeddingModel).toBe("local/bge-m3");
  const named = { EMBEDDING_MODEL: "local/new-embed" };
  const changed = await choose({ places, madeWith: "local/bge-m3" }, named);
  expect(changed.embeddingModel).toBe("local/new-embed");
});

test("an index whose embedding model is not served is left alone, and said", async () => {
  const places = [nobody, await serving("Ollama", ["qwen3"])];
  const start = choose({ places, madeWith: "local/bge-m3" });
  await expect(start).rejects.toThrow(/made with local\/bge-m3.*With --embedded/);
  const embedded = await choose({ places, madeWith: "local/bge-m3", embedded: true });
  expect(embedded.embeddingModel).toBe("embedded/hash");
});

test("no key goes to a server that was only found", async () => {
  const places = [await serving("Ollama", ["qwen3", "bge-m3"])];
  const { envFiles } = await choose({ places }, { OPENAI_COMPATIBLE_API_KEY: "secret" });
  expect(envFiles).toEqual([]);
  expect(existsSync(join(state, "model.env"))).toBe(false);
  const sent = doubles.flatMap(({ requests }) => requests.map(({ headers }) => headers));
  expect(sent.map((headers) => headers.get("authorization"))).toEqual([null]);
});
