import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { beforeEach, expect, test, vi } from "vitest";

import { seal, unseal } from "../../../src/access/seal.ts";
import { modelSettings } from "../../../src/cli/demo/model-settings.ts";
import { runDemo } from "../../../src/cli/demo/run-demo.ts";
import { problemOfStart } from "../../../src/cli/worker/start-worker.ts";
import { encryptionKeys, writeVariables } from "../../../src/cli/worker/state-files.ts";
import {
  checkVariables,
  readVariables,
  pairOf,
  applySettings,
} from "../../../src/cli/worker/worker-variables.ts";
import { parseConfig } from "../../../src/config.ts";
import { listen } from "../../doubles/listen.ts";
import { testFolder } from "../../support/test-folder.ts";

let folder = "";
beforeEach(() => {
  folder = testFolder();
});

test.each([
  ["EMBEDDING_DIMENSIONS", "abc", "must be a whole number from 8 to 4096"],
  ["EMBEDDING_DIMENSIONS", "2.5", "must be a whole number from 8 to 4096"],
  ["KEEP_QUERIES_DAYS", "-1", "must be a whole number from 0 to 365"],
  ["VECTOR_INDEX", "foo", "must be embedded, vectorize or auto"],
  ["VECTOR_INDEX", "auto", "auto needs a deployment; on this machine only embedded works"],
  ["MODEL_TIMEOUT_MS", "soon", "must be a whole number, at least 1"],
  ["REQUIRE_TOTP", "yes", "must be true or false"],
  ["OPENAI_COMPATIBLE_BASE_URL", "localhost:11434", "must be an http or https address"],
  ["EMBEDDING_MODEL", "bge-m3", "must be named provider/name, such as local/llama3.2"],
  ["CHAT_MODEL", "llama3.2", "must be named provider/name, such as local/llama3.2"],
  ["ENCRYPTION_KEY", "c2VjcmV0", "must be 32 bytes in base64 (openssl rand -base64 32)"],
])("%s=%s is refused, and what it may be is said", (name, value, may) => {
  expect(() => checkVariables({ [name]: value })).toThrow(
    `Configuration is wrong. ${name}: ${may}.`,
  );
});

test("a refusal names each wrong variable and no value", () => {
  const ownVariables = {
    ENCRYPTION_KEY: "sk-secret",
    KEEP_QUERIES_DAYS: "many",
    RATE_LIMIT_API: "60",
  };
  const check = () => checkVariables(ownVariables);
  expect(check).toThrow(/KEEP_QUERIES_DAYS: .*; ENCRYPTION_KEY: /);
  expect(check).not.toThrow(/sk-secret|many|RATE_LIMIT_API/);
});

test("npm start refuses a wrong variable before it starts or writes anything", async () => {
  vi.stubEnv("EMBEDDING_DIMENSIONS", "abc");
  const starting = runDemo({
    folder: undefined,
    port: 1,
    state: folder,
    embedded: true,
    ignore: true,
    watch: false,
  });
  await expect(starting).rejects.toThrow(
    "EMBEDDING_DIMENSIONS: must be a whole number from 8 to 4096",
  );
  expect(readdirSync(folder)).toEqual([]);
});

test("the environment wins over .dev.vars; other variables stay out", async () => {
  const file = join(folder, ".dev.vars");
  writeFileSync(file, 'KEEP_QUERIES_DAYS="7"\nMODEL_TIMEOUT_MS=9000\nPANEL_ADMIN_EMAIL=a@b\n');
  const environment = {
    KEEP_QUERIES_DAYS: "30",
    MODEL_TIMEOUT_MS: "",
    HOME: "/home/a",
    ENVIRONMENT: "staging",
    PANEL_ADMIN_PASSWORD: "x",
    REQUIRE_TOTP: "true",
    CHAT_MODEL: "local/a",
  };
  const ownVariables = await readVariables(environment, file);
  expect(ownVariables).toEqual({
    KEEP_QUERIES_DAYS: "30",
    MODEL_TIMEOUT_MS: "9000",
    PANEL_ADMIN_EMAIL: "a@b",
    CHAT_MODEL: "local/a",
  });
  const settings = { EMBEDDING_MODEL: "local/b", KEEP_QUERIES_DAYS: "1" };
  expect(applySettings(ownVariables, settings)).toEqual({ ...ownVariables, ...settings });
  expect(await readVariables({}, join(folder, "none"))).toEqual({});
});

test("a key without its server is withheld from a server that is only found", () => {
  const key = { OPENAI_COMPATIBLE_API_KEY: "sk-secret" };
  const modelServer = { OPENAI_COMPATIBLE_BASE_URL: "http://localhost:2/v1" };
  expect(applySettings(key, modelServer)).toEqual({
    OPENAI_COMPATIBLE_API_KEY: "",
    ...modelServer,
  });
  const server = { OPENAI_COMPATIBLE_BASE_URL: "http://localhost:1/v1" };
  expect(applySettings({ ...key, ...server }, server)).toEqual({ ...key, ...server });
});

test("the key of .dev.vars is not sent to another server of the environment", async () => {
  const keysSeen: (string | undefined)[] = [];
  const { address, stop } = await listen(({ headers, url }, response) => {
    keysSeen.push(headers.authorization);
    const models = [{ id: "llama3.2" }, { id: "nomic-embed-text" }];
    const vectors = [{ embedding: [1, 1, 1, 1, 1, 1, 1, 1] }];
    response.end(JSON.stringify({ data: url === "/v1/models" ? models : vectors }));
  });
  const environment = { OPENAI_COMPATIBLE_BASE_URL: `${address}/v1` };
  const file = join(folder, ".dev.vars");
  const key = "OPENAI_COMPATIBLE_API_KEY=sk-secret\n";
  for (const before of ["", "OPENAI_COMPATIBLE_BASE_URL=https://models.example/v1\n"]) {
    writeFileSync(file, before + key);
    const ownVariables = await readVariables(environment, file);
    const { variables } = await modelSettings(ownVariables);
    // Empty, so that the Worker does not take the one of the file.
    expect(applySettings(ownVariables, variables)).toMatchObject({
      ...environment,
      OPENAI_COMPATIBLE_API_KEY: "",
    });
  }
  expect([...new Set(keysSeen.splice(0))]).toEqual([undefined]);
  writeFileSync(
    file,
    `OPENAI_COMPATIBLE_BASE_URL=${environment.OPENAI_COMPATIBLE_BASE_URL}/\n${key}`,
  );
  const same = await readVariables(environment, file);
  await modelSettings(same);
  const own = { ...environment, OPENAI_COMPATIBLE_API_KEY: "sk-own" };
  writeFileSync(file, `OPENAI_COMPATIBLE_BASE_URL=https://models.example/v1\n${key}`);
  await modelSettings(await readVariables(own, file));
  expect([...new Set(keysSeen)]).toEqual(["Bearer sk-secret", "Bearer sk-own"]);
  await stop();
});

test("--embedded keeps a key with the server that is named beside it", async () => {
  const ownVariables = {
    OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
    OPENAI_COMPATIBLE_API_KEY: "sk-secret",
  };
  const { variables } = await modelSettings(ownVariables, { embedded: true });
  expect(applySettings(ownVariables, variables)).toEqual(ownVariables);
});

test("--var without its colon is refused without its value", () => {
  expect(pairOf("AI_GATEWAY_ID:a:b=c")).toEqual(["AI_GATEWAY_ID", "a:b=c"]);
  const refusal = /^--var AI_GATEWAY_TOKEN must be NAME:VALUE, such as KEEP_QUERIES_DAYS:30\.$/;
  expect(() => pairOf("AI_GATEWAY_TOKEN=sk-secret")).toThrow(refusal);
  expect(() => pairOf("AI_GATEWAY_TOKEN=https://sk-secret@a")).toThrow(refusal);
  expect(() => pairOf(":sk-secret")).toThrow(/^--var {2}must be/);
});

test("values are written as they are, for their owner only", async () => {
  const variables = {
    AI_GATEWAY_TOKEN: "sk-$HOME#'\"\\n",
    AI_GATEWAY_ID: 'it`s "one"',
    PUBLIC_BASE_URL: "",
  };
  const file = writeVariables(folder, variables);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // dotenv takes what is quoted as it is, and replaces a variable that has no backslash before it.
  expect(readFileSync(file, "utf8")).toBe(
    "AI_GATEWAY_TOKEN=`sk-\\$HOME#'\"\\n`\nAI_GATEWAY_ID='it`s \"one\"'\nPUBLIC_BASE_URL=''\n",
  );
  const impossible = () => writeVariables(folder, { AI_GATEWAY_ID: "'`\"" });
  expect(impossible).toThrow("AI_GATEWAY_ID must not contain all three quotation");
});

test("a state folder gets its own encryption key once, unless the user gives one", async () => {
  const file = join(folder, "encryption.env");
  // A full disk left it empty.
  writeFileSync(file, "", { mode: 0o600 });
  const keys = encryptionKeys(folder, {});
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(parseEnv(readFileSync(file, "utf8"))).toEqual(keys);
  const { ENCRYPTION_KEY: key = "", ENCRYPTION_KEY_PREVIOUS: before = "" } = keys;
  expect(Buffer.from(key, "base64")).toHaveLength(32);
  const sealed = await seal({ ENVIRONMENT: "development" }, "of an earlier version");
  const config = parseConfig({ ENCRYPTION_KEY: key, ENCRYPTION_KEY_PREVIOUS: before });
  expect(await unseal(config, sealed)).toBe("of an earlier version");
  expect(encryptionKeys(folder, {})).toEqual(keys);
  writeFileSync(file, `ENCRYPTION_KEY=${key}\n`);
  expect(encryptionKeys(folder, {})).toEqual({ ENCRYPTION_KEY: key });
  expect(encryptionKeys(folder, { ENCRYPTION_KEY: "own" })).toEqual({});
});

test("a Worker that refuses its variables is not waited for", async () => {
  const error = "Configuration is wrong. VECTOR_INDEX: vectorize needs the binding VECTORIZE";
  let answer = () => Response.json({ error }, { status: 500 });
  const { address, stop } = await listen((_request, response) => {
    const { status, body } = answer();
    response.writeHead(status);
    void new Response(body).text().then((text) => response.end(text));
  });
  const never = new Promise<void>(() => undefined);
  expect(await problemOfStart(address, never, 60_000)).toBe(error);
  answer = () => Response.json({ error: "Rate limiting unavailable" }, { status: 503 });
  expect(await problemOfStart(address, Promise.resolve(), 60_000)).toBe("");
  answer = () => Response.json({});
  expect(await problemOfStart(address, never, 60_000)).toBeNull();
  await stop();
});
