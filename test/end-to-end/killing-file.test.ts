import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { dataOf } from "../../src/cli/api/clients.ts";
import { waitForIndex } from "../../src/cli/demo/wait-for-index.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import type { RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { startEmbedder } from "./embedder.ts";
import { countsOf, makeRag, scratchFolder, startService } from "./local-service.ts";
import { freePort, untilFree } from "./run-cli.ts";

const TRIES = 5;
const HEALTHY_FILES = 5;

const scratch = scratchFolder();
let service: RunningWorker | undefined;

afterAll(async () => {
  await service?.stop();
  scratch.remove();
});

test("a file that kills the server at each start is given up; others are indexed", async () => {
  const killing = join(scratch.path, "killing");
  const port = await freePort();
  const model = await startEmbedder((texts) => texts.some((text) => text.includes("poison")));
  const start = () => startService(killing, port, model.variables);
  let strike = model.strike();
  service = await start();
  const { api } = await makeRag(service.url);
  const names = Array.from({ length: HEALTHY_FILES }, (_, at) => `healthy-${at}.txt`);
  for (const name of ["poison.txt", ...names]) {
    const headers = { "Content-Type": "text/plain" };
    const params = { path: { id: "docs", path: name } };
    const body = `A note in ${name}.`;
    await api.PUT("/file-sources/{id}/files/{path}", {
      params,
      body,
      headers,
      bodySerializer: String,
    });
  }
  const ended = async () => {
    await waitForIndex(api, "docs", openTerminal(true));
    return "ended" as const;
  };
  for (let tries = 1; tries <= TRIES; tries++) {
    const end = ended();
    // The server that it asks is killed.
    end.catch(() => undefined);
    expect(await Promise.race([strike, end])).toBe("struck");
    strike = model.strike();
    process.kill(-service.pid, "SIGKILL");
    await service.ended;
    await untilFree(port);
    service = await start();
  }
  expect(await Promise.race([strike, ended()])).toBe("ended");
  const params = { path: { id: "docs" }, query: { status: "error" } } as const;
  const failed = await dataOf(api.GET("/file-sources/{id}/files", { params }));
  expect(failed).toMatchObject({
    total: 1,
    data: [{ filePath: "poison.txt", errorMessage: "indexing did not finish after 5 tries" }],
  });
  expect(await countsOf(api)).toMatchObject({ processedFiles: HEALTHY_FILES });
  model.close();
});
