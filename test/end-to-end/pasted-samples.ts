import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";

import { PROJECT } from "../../src/cli/installation.ts";

const run = promisify(execFile);

/** Where the samples expect `npm start`. */
const WRITTEN_URL = "http://localhost:8787";

/** The samples of each page in their order, and what a reader sees of each that works. */
const PAGES: Record<string, [language: string, shown: RegExp][]> = {
  "streaming.md": [
    ["sh", /^event: retrieval\n.*event: delta\n.*event: result\ndata: \{.*\n\n$/s],
    ["js", /days/],
  ],
  "citations.md": [["sh", /"citations":\[\{"item":\d+,"start":\d+,"end":\d+\}/]],
  "openai-clients.md": [
    ["sh", /^\{.*"role":"assistant","content":"[^"]*days/],
    ["ts", /days/],
    ["sh", /^\{.*"filename":"handbook\//],
  ],
  "mcp.md": [["sh", /"structuredContent":\{"results":\[\{"id":"sample\//]],
  "dify.md": [["sh", /^\{"records":\[\{"content":"/]],
};

const END_OF: Record<string, string> = {
  js: "",
  ts: "\nconsole.log(answer.choices[0]?.message.content);\n",
};

/**
 * Runs the samples of the pages about other APIs as a reader pastes them, beside a running
 * `npm start` whose state is in `state` of the folder.
 */
export async function runPastedSamples(
  folder: string,
  { url, token }: { url: string; token: string },
): Promise<void> {
  symlinkSync(join(folder, "state"), join(folder, ".quarry"));
  symlinkSync(join(PROJECT, "test/witnesses/node_modules"), join(folder, "node_modules"));
  for (const [page, expected] of Object.entries(PAGES)) {
    const text = readFileSync(join(PROJECT, "docs", page), "utf8").replaceAll(WRITTEN_URL, url);
    const samples = [...text.matchAll(/^```(sh|js|ts)\n(.*?)^```/gms)];
    expect([page, samples.map(([, language]) => language)]).toEqual([
      page,
      expected.map(([language]) => language),
    ]);
    for (const [at, [, language = "", sample = ""]] of samples.entries()) {
      // The first one reads the token by itself.
      const env = at === 0 ? process.env : { ...process.env, TOKEN: token };
      const output = await runSample({ folder, language, sample, env });
      expect([page, at, output]).toEqual([
        page,
        at,
        expect.stringMatching(expected[at]?.[1] ?? ""),
      ]);
    }
  }
}

type Sample = { folder: string; language: string; sample: string; env: NodeJS.ProcessEnv };

async function runSample({ folder, language, sample, env }: Sample): Promise<string> {
  const options = { cwd: folder, env };
  if (language === "sh") return (await run("sh", ["-euc", sample], options)).stdout;
  const file = join(folder, `sample.m${language}`);
  writeFileSync(file, sample + (END_OF[language] ?? ""));
  return (await run(process.execPath, [file], options)).stdout;
}
