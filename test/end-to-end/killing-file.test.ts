import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { waitForIndex } from "../../src/cli/demo/wait-for-index.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { makeRag, scratchFolder, startService } from "./local-service.ts";
import { freePort, untilFree } from "./run-cli.ts";

const STARTS = 8;
const TRIES = 5;
const HEALTHY_FILES = 5;
const DIMENSIONS = 16;

const scratch = scratchFolder();
let service: RunningWorker | undefined;

afterAll(async () => {
  await service?.stop();
  scratch.remove();
});

/** Embeds texts, but never one with this word: it tells that it was asked to. */
async function modelThatHangsOn(word: string) {
  let struck = () => undefined as void;
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
      if (input.some((text) => text.includes(word))) return struck();
      const data = input.map((text, index) => {
        const embedding = Array.from({ length: DIMENSIONS }, (_, at) => text.length + at);
        return { object: "embedding", index, embedding };
      });
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ object: "list", data, model: "m" }));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Settles at the next text with the word. */
    strike: () => new Promise<"struck">((resolve) => (struck = () => resolve("struck"))),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("a file that kills the server at each start is given up; others are indexed", async () => {
  const killing = join(scratch.path, "killing");
  const port = await freePort();
  const model = await modelThatHangsOn("poison");
  const settings = ["OPENAI_COMPATIBLE_API_KEY:none", `EMBEDDING_DIMENSIONS:${DIMENSIONS}`];
  const place = [`OPENAI_COMPATIBLE_BASE_URL:${model.url}`, "EMBEDDING_MODEL:local/letters"];
  const start = () => startService(killing, port, [...settings, ...place]);
  let strike = model.strike();
  service = await start();
  const { api } = await makeRag(service.url);
  const names = Array.from({ length: HEALTHY_FILES }, (_, at) => `healthy-${at}.txt`);
  for (const name of ["poison.txt", ...names]) {
    await api.putFile("docs", name, Buffer.from(`A note in ${name}.`), "text/plain");
  }
  const ended = async () => {
    await waitForIndex(api, "docs", openTerminal(true));
    return "ended" as const;
  };
  let deaths = 0;
  for (let starts = 1; starts < STARTS; starts++) {
    const end = ended();
    // The server that it asks is killed.
    end.catch(() => undefined);
    if ((await Promise.race([strike, end])) === "struck") deaths++;
    strike = model.strike();
    process.kill(-service.pid, "SIGKILL");
    await service.ended;
    await untilFree(port);
    service = await start();
  }
  await ended();
  expect(deaths).toBe(TRIES);
  const failed = await api.filesWithStatus("docs", "error", 10);
  expect(failed).toMatchObject({
    total: 1,
    data: [{ filePath: "poison.txt", errorMessage: "indexing did not finish after 5 tries" }],
  });
  expect(await api.ragCounts("docs")).toMatchObject({ processedFiles: HEALTHY_FILES });
  model.close();
});
