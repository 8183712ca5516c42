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

const FILES = 299;
/** After which a file is given up that kills the server each time. */
const TRIES = 5;
/** Crashes that a file may see, also those of files tried beside it. */
const MAX_CRASHES = 10;
/** Texts after which the model hangs in the first life; all files have some 900 to embed. */
const FIRST_TEXTS = 400;
/** Pushed when the first life is over. */
const POISON = "document-290-poison.md";

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
  writeFileSync(join(folder, POISON), "A note that is poison.\n");
}

/** Chunks that answer, counted in the RAG's own index on disk, and how many places they have. */
function countStoredChunks(): { chunks: number; places: number } {
  const folder = join(state, "v3", "do");
  const totals = { chunks: 0, places: 0 };
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.includes("RagIndex") || !/[0-9a-f]{64}\.sqlite$/.test(name)) continue;
    const index = new DatabaseSync(join(folder, name), { readOnly: true });
    const places = "count(distinct file || ' ' || position)";
    const row = index.prepare(
      `select count(*) as chunks, ${places} as places from chunks where live = 1`,
    );
    const counts = row.get() as typeof totals;
    totals.chunks += counts.chunks;
    totals.places += counts.places;
    index.close();
  }
  return totals;
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
    if (pushed.code !== 0 && life < MAX_CRASHES) continue;
    expectSuccess(pushed);
    return JSON.parse(pushed.stdout) as Pushed;
  }
}

test("a killed Worker loses and doubles nothing; the file that kills it is given up", async () => {
  const folder = join(scratch.path, "docs");
  writeDocuments(folder);
  const port = await freePort();
  let textsLeft = FIRST_TEXTS;
  const model = await startEmbedder(
    (texts) => (textsLeft -= texts.length) < 0 || texts.some((text) => text.includes("poison")),
  );
  let strike = model.strike();
  service = await startService(state, port, model.variables);
  const { url } = service;
  const { api, key, token } = await makeRag(url);
  // The push goes on meanwhile, as somebody's would.
  const pushing = pushUntilDone(folder, url, key);
  const indexing = () => pushing.then(() => waitForIndex(api, "docs", openTerminal(true)));

  let crashes = 0;
  for (let attempt = indexing(); ; attempt = indexing()) {
    // The server that it asks is killed.
    attempt.catch(() => undefined);
    if ((await Promise.race([strike, attempt])) !== "struck") break;
    crashes += 1;
    expect(crashes).toBeLessThanOrEqual(MAX_CRASHES);
    if (crashes === 1) expect((await countsOf(api)).processedFiles).toBeLessThan(FILES);
    process.kill(-service.pid, "SIGKILL");
    await service.ended;
    await untilFree(port);
    textsLeft = Infinity;
    strike = model.strike();
    service = await startService(state, port, model.variables);
  }
  expect(crashes).toBeGreaterThanOrEqual(TRIES);

  const all = FILES + 1;
  const { added, unchanged, failed: notPushed } = await pushing;
  expect({ pushed: added + unchanged, notPushed }).toEqual({ pushed: all, notPushed: [] });
  const { total, indexed, failed } = await indexing();
  expect({ total, indexed }).toEqual({ total: all, indexed: FILES });
  const errorMessage = "indexing did not finish after 5 tries";
  expect(failed).toMatchObject([{ filePath: POISON, errorMessage }]);
  const { numberVectors } = await countsOf(api);
  const response = await fetch(`${url}/api/rags/docs/retrieve`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      semanticSearch: ["Document number123"],
      // The model ranks by chance.
      searchMode: "keyword",
      includeSources: true,
    }),
  });
  expect(await response.json()).toMatchObject({
    chunks: [{ source: { filePath: "document-123.md" } }, {}, {}, {}, {}],
  });
  await service.stop();
  await model.stop();
  expect(countStoredChunks()).toEqual({ chunks: numberVectors, places: numberVectors });
});
