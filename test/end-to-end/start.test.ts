import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { dataOf, publicApi } from "../../src/cli/api/clients.ts";
import { SAMPLE_QUESTIONS } from "../../src/cli/demo/subject.ts";
import { OpenAiDouble } from "../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../doubles/openai-compatible/serve.ts";
import { scratchFolder } from "./local-service.ts";
import { runPastedSamples } from "./pasted-samples.ts";
import { expectSuccess, freePort, runCli, startCli } from "./run-cli.ts";
import { runExamples } from "./run-examples.ts";

const DAMAGED_PICTURE = Buffer.from("iVBORw0KGgoAAAANSUhEUg==", "base64");

type Printed = {
  retrieval: {
    query: string;
    chunks: { text: string; score: number; source: { filePath: string } }[];
  };
  inference: { prompt: string; response: { type: string; text: string }[] };
  urls: Record<string, string>;
};

const run = promisify(execFile);
const SAMPLE_FILES = 56;
const API_KEY = "sk-of-the-local-server";
/** For localhost, its own authority, with its key. */
const CERTIFICATE = join(import.meta.dirname, "../fixtures/localhost.pem");
const DIMENSIONS = 16;

/** Enough of an embedding to tell texts apart. */
function countLetters(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.01);
  for (const letter of text) {
    const at = (letter.codePointAt(0) ?? 0) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

describe("npm start on the sample", () => {
  const scratch = scratchFolder();
  const state = join(scratch.path, "state");
  // Not the models that happen to be served on the machine of whoever tests.
  const own = ["--embedded", "--state", state];
  const variables = { PUBLIC_BASE_URL: "https://Quarry.example/", REQUIRE_TOTP: "true" };
  let first: { code: number | null; stdout: string; stderr: string };
  let endedAt = 0;

  beforeAll(async () => {
    const port = String(await freePort());
    first = await runCli("start", ["--once", "--json", ...own, "--port", port], variables);
    endedAt = Date.now();
  });
  afterAll(scratch.remove);

  test("prints the passages and the answer that a person would accept", () => {
    expectSuccess(first);
    const { retrieval, inference, urls } = JSON.parse(first.stdout) as Printed;
    expect(retrieval.query).toBe(SAMPLE_QUESTIONS.query);
    const [best] = retrieval.chunks;
    expect(best?.source.filePath).toBe("runbooks/high-conductivity.md");
    expect(best?.text).toContain("Close the irrigation valve");
    const answer = inference.response.map(({ text }) => text).join(" ");
    expect(answer).toContain("21 days");
    expect(answer).toContain("2 to 6 °C");
    expect(urls["docs"]).toMatch(/^http:\/\/localhost:\d+\/api\/docs$/);
  });

  test("indexes every file", () => {
    expect(first.stderr).toContain(`${SAMPLE_FILES} added`);
    expect(first.stderr).toContain(`${SAMPLE_FILES} of ${SAMPLE_FILES} files are indexed`);
  });

  test("keeps the token to itself", () => {
    expect(statSync(state).mode & 0o777).toBe(0o700);
    const open = readdirSync(state, { recursive: true, withFileTypes: true }).filter(
      (entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0,
    );
    expect(open.map(({ name }) => name)).toEqual([]);
    expect(first.stdout + first.stderr).not.toMatch(/qrya_/);
  });

  test("a second start, by npm, indexes nothing; lines, sign-in and samples work", async () => {
    const port = String(await freePort());
    const started = startCli("npm start", [...own, "--port", port], variables);
    const { child, finished, untilItSays } = started;
    const output = await untilItSays("Ctrl-C ends it");
    expect(output).toContain("Panel: https://quarry.example/panel");
    expect(output).toContain(`0 added, 0 changed, 0 removed, ${SAMPLE_FILES} unchanged`);
    const { token, key } = JSON.parse(readFileSync(join(state, "demo.json"), "utf8")) as {
      token: string;
      key: string;
    };
    const params = { path: { identifier: "sample" }, query: { page: 1, limit: 100 } };
    const api = publicApi(`http://localhost:${port}`, token);
    const { data } = await dataOf(api.GET("/api/rags/{identifier}/files", { params }));
    expect(data).toHaveLength(SAMPLE_FILES);
    const indexedAt = data.map((file) => Date.parse(String(file.indexedAt)));
    expect(Math.max(...indexedAt)).toBeLessThan(endedAt);
    const lines = output.split("\n").filter((line) => line.trim().startsWith("curl"));
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const { stdout } = await run("sh", ["-c", line]);
      expect(Object.keys(JSON.parse(stdout) as object)).not.toContain("error");
    }
    const response = await fetch(`http://localhost:${port}/`);
    expect(await response.json()).toMatchObject({ panel: "https://quarry.example/panel" });
    const [, password = ""] = /Sign in as admin@localhost, password (\S+)/.exec(output) ?? [];
    const signIn = async (typed: string) => {
      const body = JSON.stringify({ email: "admin@localhost", password: typed });
      const session = `http://localhost:${port}/panel/api/session`;
      return (await fetch(session, { method: "POST", body })).status;
    };
    expect([await signIn(password), await signIn("quarry")]).toEqual([200, 401]);
    const served = { url: `http://localhost:${port}`, token, key };
    await runPastedSamples(scratch.path, served);
    await runExamples(served);
    child.kill("SIGTERM");
    await finished;
    expect(readdirSync(state).filter((name) => name.endsWith(".env"))).toEqual(["encryption.env"]);
    await expect(fetch(`http://127.0.0.1:${port}/api/openapi.json`)).rejects.toThrow(
      "fetch failed",
    );
  });

  test("a model server of the environment embeds and answers, its certificate an own", async () => {
    const models = ["thinker:8b", "letters-embed", "rerank-me"];
    const double = new OpenAiDouble({ apiKey: API_KEY, embed: countLetters, models });
    const served = await serveOpenAi(double);
    const pem = readFileSync(CERTIFICATE);
    const secured = createTlsServer({ cert: pem, key: pem }, (socket) => {
      socket.pipe(connect(Number(new URL(served.baseUrl).port), "127.0.0.1")).pipe(socket);
    });
    const port = await freePort();
    secured.listen(port, "127.0.0.1");
    const folder = join(scratch.path, "My Notes");
    mkdirSync(folder);
    writeFileSync(join(folder, "bees.md"), "# Wintering bees\n\nBees winter on 18 kg of honey.\n");
    writeFileSync(join(folder, "picture.png"), DAMAGED_PICTURE);
    const options = ["--once", "--json", "--port", String(await freePort()), "--state", state];
    const { code, stdout, stderr } = await runCli("start", [folder, ...options], {
      OPENAI_COMPATIBLE_BASE_URL: `https://localhost:${port}/v1`,
      OPENAI_COMPATIBLE_API_KEY: API_KEY,
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
    });
    secured.close();
    await served.close();
    const { inference, retrieval, urls } = JSON.parse(stdout) as Printed;
    expect(retrieval.query).toBe("Wintering bees");
    expect(retrieval.chunks.map(({ source }) => source.filePath)).toEqual(["bees.md"]);
    expect(urls["retrieve"]).toMatch(/\/api\/rags\/my-notes\/retrieve$/);
    expect(inference.response).toEqual([{ type: "text", text: "It is forty-two.", citations: [] }]);
    expect(double.calls("chat")[0]?.body).toMatchObject({ model: "thinker:8b" });
    expect(double.calls("embeddings")[0]?.body).toMatchObject({ model: "letters-embed" });
    // It may hold a key.
    expect(existsSync(join(state, "model.env"))).toBe(false);
    // As a file failed.
    expect(code).toBe(1);
    expect(stderr).toContain(
      "not indexed: picture.png (a picture was left out: the picture is damaged)",
    );
  });

  test("a folder of the user is watched, and a removal of most of it is held", async () => {
    const folder = join(scratch.path, "Watched");
    mkdirSync(folder);
    const names = Array.from({ length: 22 }, (_, at) => `note ${at}.md`);
    for (const name of names) writeFileSync(join(folder, name), `# ${name}\n`);
    const port = String(await freePort());
    const confirmed = ["--confirm-removals", "--port", port];
    const { child, finished, untilItSays } = startCli("start", [folder, ...own, ...confirmed]);
    await untilItSays("Watching");
    writeFileSync(join(folder, "bees.md"), "# Wintering bees\n");
    await untilItSays("1 added");
    writeFileSync(join(folder, "plan.png"), DAMAGED_PICTURE);
    await untilItSays("not indexed: plan.png");
    for (const name of names) rmSync(join(folder, name));
    await untilItSays("0 removed, 2 unchanged");
    child.kill("SIGTERM");
    const { code, stderr } = await finished;
    expect(stderr).toContain("22 files are no longer in the folder");
    expect(code).toBe(0);
  });

  test("a port that is taken is told, and nothing is started", async () => {
    const port = await freePort();
    const { createServer } = await import("node:net");
    const blocker = createServer().listen(port, "127.0.0.1");
    const { code, stderr } = await runCli("start", [...own, "--port", String(port)]);
    blocker.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`Another program uses port ${port}`);
  });
});
