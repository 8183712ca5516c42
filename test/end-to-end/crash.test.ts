import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, expect, test } from "vitest";

import { waitForIndex } from "../../src/cli/demo/wait-for-index.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { startEmbedder } from "./embedder.ts";
import { countsOf, makeRag, scratchFolder, startService } from "./local-service.ts";
import { expectSuccess, freePort, runCli, untilFree } from "./run-cli.ts";

const FILES = 500;
const CRASHES = 3;
/** Texts after which the model hangs in each life; all files have some 1,500 to embed. */
const TEXTS_A_LIFE = 400;

const scratch = scratchFolder();
const state = join(scratch.path, "state");
let service: RunningWorker | undefined;

afterAll(async () => {
  await service?.stop();
  scratch.remove();
});

/** Several chunks each, one paragraph of which all files share. */
function writeDocuments(folder: string) {
  mkdirSync(folder);
  const words = (seed: number) =>
    Array.from({ length: 120 }, (_, at) => `word${(seed * 31 + at * 7) % 997}`).join(" ");
  for (let n = 0; n < FILES; n++) {
    const sections = [1, 2, 3].map((part) => `## Part ${part}\n\n${words(n * 3 + part)}.`);
    const shared = "## Licence\n\nEvery document of this series may be copied freely.";
    const text = [`# Document number${n}`, ...sections, shared].join("\n\n");
    writeFileSync(join(folder, `document-${String(n).padStart(3, "0")}.md`), `${text}\n`);
  }
}

/** Chunks that answer, counted in the RAG's own index on disk, and how many places they have. */
function countStoredChunks(): { chunks: number; places: number } {
  const folder = join(state, "v3", "do");
  const found = { chunks: 0, places: 0 };
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.includes("RagIndex") || !/[0-9a-f]{64}\.sqlite$/.test(name)) continue;
    const index = new DatabaseSync(join(folder, name), { readOnly: true });
    const places = "count(distinct file || ' ' || position)";
    const row = index.prepare(
      `select count(*) as chunks, ${places} as places from chunks where live = 1`,
    );
    const counted = row.get() as typeof found;
    found.chunks += counted.chunks;
    found.places += counted.places;
    index.close();
  }
  return found;
}

type Pushed = { added: number; unchanged: number; failed: unknown[] };

/**
 * A push tries again for 19 seconds. A Worker takes longer to start on a busy machine; then, its
 * user pushes once more, and what arrived before is unchanged.
 */
async function pushUntilDone(folder: string, url: string, key: string): Promise<Pushed> {
  const target = ["--source", "docs", "--url", url, "--json"];
  for (let life = 0; ; life++) {
    const pushed = await runCli("quarry", ["push", folder, ...target], { QUARRY_KEY: key });
    if (pushed.code !== 0 && life < CRASHES) continue;
    expectSuccess(pushed);
    return JSON.parse(pushed.stdout) as Pushed;
  }
}

test("a Worker killed three times while it indexes loses nothing and doubles nothing", async () => {
  const folder = join(scratch.path, "docs");
  writeDocuments(folder);
  const port = await freePort();
  let left = TEXTS_A_LIFE;
  const model = await startEmbedder((texts) => (left -= texts.length) < 0);
  let strike = model.strike();
  service = await startService(state, port, model.variables);
  const { url } = service;
  const { api, key, token } = await makeRag(url);
  // The push goes on meanwhile, as somebody's would.
  const pushing = pushUntilDone(folder, url, key);

  for (let crash = 1; crash <= CRASHES; crash++) {
    await strike;
    expect((await countsOf(api)).processedFiles).toBeLessThan(FILES);
    process.kill(-service.pid, "SIGKILL");
    await service.ended;
    await untilFree(port);
    left = crash < CRASHES ? TEXTS_A_LIFE : Infinity;
    strike = model.strike();
    service = await startService(state, port, model.variables);
  }

  const { added, unchanged, failed: notPushed } = await pushing;
  expect({ pushed: added + unchanged, notPushed }).toEqual({ pushed: FILES, notPushed: [] });
  const { total, indexed, failed } = await waitForIndex(api, "docs", openTerminal(true));
  expect({ total, indexed, failed }).toEqual({ total: FILES, indexed: FILES, failed: [] });
  const { numberVectors } = await countsOf(api);
  const found = await fetch(`${url}/api/rags/docs/retrieve`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      semanticSearch: ["Document number123"],
      // The model ranks by chance.
      searchMode: "keyword",
      includeSources: true,
    }),
  });
  expect(await found.json()).toMatchObject({
    chunks: [{ source: { filePath: "document-123.md" } }, {}, {}, {}, {}],
  });
  await service.stop();
  model.close();
  expect(countStoredChunks()).toEqual({ chunks: numberVectors, places: numberVectors });
});
