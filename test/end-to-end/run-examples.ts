import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";

import { PROJECT } from "../../src/cli/installation.ts";
import { listen } from "../doubles/listen.ts";
import { freePort } from "./run-cli.ts";

const run = promisify(execFile);
const QUESTION = "How many days of leave are there?";
const at = (name: string) => join(PROJECT, "docs/examples", name);

type Served = { url: string; token: string; key: string };

/** Runs each of docs/examples as its page says, beside a running `npm start` on the sample. */
export async function runExamples({ url, token, key }: Served): Promise<void> {
  const env = { ...process.env, QUARRY_URL: url, QUARRY_TOKEN: token };
  const search = await run("python3", [at("search.py"), QUESTION], { env });
  expect(search.stdout).toMatch(/^0\.\d{3} {2}handbook\/leave\.md {2}\S/m);

  const { stdout } = await run(process.execPath, [at("mcp-agent.ts"), QUESTION], { env });
  expect(stdout).toMatch(/^Tools: search, fetch, ask_sample, agent_sample$/m);
  expect(stdout).toMatch(/^Found: sample\/handbook\/leave\.md$/m);
  expect(stdout).toMatch(/^agent_sample: [^]*\d+ days/m);

  const PORT = String(await freePort());
  const server = spawn(process.execPath, [at("back-end.ts")], { env: { ...env, PORT } });
  try {
    await once(server.stdout, "data");
    const body = JSON.stringify({ question: QUESTION });
    const answer = await fetch(`http://localhost:${PORT}/ask`, { method: "POST", body });
    expect(await answer.json()).toMatchObject({
      answer: expect.stringContaining("days") as string,
      sources: ["handbook/leave.md"],
      isComplete: true,
    });
    const wrong = await fetch(`http://localhost:${PORT}/ask`, { method: "POST", body: "{" });
    expect(wrong.status).toBe(400);
  } finally {
    server.kill();
  }
  await moveVectorStore({ url, key });
}

/** The answers of OpenAI's API to the example, by the end of the address. */
const STORED: Record<string, object> = {
  "/vs_1/files?limit=100": { data: [{ id: "file-0", attributes: null }], has_more: true },
  "&after=file-0": { data: [{ id: "file-1", attributes: { team: "Müller" } }], has_more: false },
  "/content": { data: [{ type: "text", text: "Parents take twelve weeks." }] },
  "/files/file-0": { filename: "Cover.pdf" },
  "/files/file-1": { filename: "Parental leave.pdf" },
};

async function moveVectorStore({ url, key }: Pick<Served, "url" | "key">): Promise<void> {
  const openai = await listen(({ url: path = "" }, response) => {
    const [, answer = {}] = Object.entries(STORED).find(([end]) => path.endsWith(end)) ?? [];
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
  });
  const panel = `${url}/panel/api/file-sources`;
  const headers = { Authorization: `Bearer ${key}` };
  const body = JSON.stringify({ name: "Moved", provider: "file_system" });
  await fetch(panel, { method: "POST", headers, body });
  const env = {
    ...process.env,
    QUARRY_URL: url,
    QUARRY_KEY: key,
    SOURCE: "moved",
    VECTOR_STORE: "vs_1",
    OPENAI_API_KEY: "sk-1",
    OPENAI_BASE_URL: `${openai.address}/v1`,
  };
  try {
    const { stdout } = await run(process.execPath, [at("move-vector-store.ts")], { env });
    expect(stdout).toBe("201 Cover.pdf\n201 Parental leave.pdf\n");
    const path = encodeURIComponent("file-1/Parental leave.pdf.md").replace("%2F", "/");
    const moved = await fetch(`${panel}/moved/files/${path}`, { headers });
    expect(await moved.json()).toMatchObject({ metadata: { team: "Müller" } });
  } finally {
    await openai.stop();
  }
}
