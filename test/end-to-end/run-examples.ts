import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect } from "vitest";

import { PROJECT } from "../../src/cli/installation.ts";
import { freePort } from "./run-cli.ts";

const run = promisify(execFile);
const QUESTION = "How many days of leave are there?";
const at = (name: string) => join(PROJECT, "docs/examples", name);

/** Runs each of docs/examples as its page says, beside a running `npm start` on the sample. */
export async function runExamples({ url, token }: { url: string; token: string }): Promise<void> {
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
      sources: expect.arrayContaining(["handbook/leave.md"]) as string[],
      isComplete: true,
    });
  } finally {
    server.kill();
  }
}
