import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { panelApi } from "../../../src/cli/api/clients.ts";
import { pushFolder, reportPush } from "../../../src/cli/push/push-folder.ts";
import { openTerminal } from "../../../src/cli/terminal.ts";
import { listen } from "../../doubles/listen.ts";
import { testFolder } from "../../support/test-folder.ts";

test("files that failed are not counted as added", async () => {
  const folder = testFolder();
  for (const name of ["a.md", "b.md", "c.md"]) writeFileSync(join(folder, name), name);
  const refusal = { status: 413, error: "the source is full" };
  const { address, stop } = await listen((request, response) => {
    const isManifest = request.method === "GET";
    const isSource = isManifest && request.url?.endsWith("/file-sources/docs") === true;
    request.resume().on("end", () => {
      response.setHeader("Content-Type", "application/json");
      const files = isManifest ? [] : [{ status: 201 }, refusal, { status: 201 }];
      const source = { permissions: "off", defaultReaders: [] };
      response.end(
        JSON.stringify(isSource ? source : isManifest ? { files, cursor: null } : { files }),
      );
    });
  });
  onTestFinished(stop);
  const api = panelApi(address, "qrya_key");
  const lines: string[] = [];
  const tell = (line = "") => void lines.push(line);
  const terminal = { ...openTerminal(true), say: tell, warn: tell };
  const request = { folder, source: "docs", ignore: true };
  reportPush(terminal, await pushFolder(api, terminal, request));
  expect(lines).toEqual([
    "2 added, 0 changed, 0 removed, 0 unchanged",
    "not pushed: b.md (the source is full (413))",
  ]);
});
