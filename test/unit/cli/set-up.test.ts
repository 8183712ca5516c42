import { expect, onTestFinished, test, vi } from "vitest";

import { panelApi } from "../../../src/cli/api/clients.ts";
import { setUpResources } from "../../../src/cli/demo/set-up.ts";
import { waitForIndex } from "../../../src/cli/demo/wait-for-index.ts";
import { statusCommand } from "../../../src/cli/query-commands.ts";
import { openTerminal } from "../../../src/cli/terminal.ts";
import { listen } from "../../doubles/listen.ts";

type Source = { name?: string; provider?: string; imageModel?: string | null };
type Settings = { fileSources?: Record<string, Source> };

/** A service that keeps its file sources, and whose local server lists these models. */
async function serviceWith(models: string[]) {
  const service = { models, sources: {} as Record<string, Source> };
  const { address, stop } = await listen((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const { fileSources = {} } = JSON.parse(body === "" ? "{}" : body) as Settings;
      for (const [id, source] of Object.entries(fileSources)) {
        service.sources[id] = { ...service.sources[id], ...source };
      }
      const [, kind = "", id = ""] = /api\/([^/]+)\/?(.*)/.exec(request.url ?? "") ?? [];
      const answer = {
        "model-servers": [{ models: service.models.map((model) => ({ model })) }],
        "file-sources": service.sources[id],
        config: {},
      }[kind];
      response.writeHead(answer === undefined ? 404 : 200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer ?? { error: "Not found" }));
    });
  });
  onTestFinished(stop);
  return Object.assign(service, { api: panelApi(address, "key") });
}

const SEES = "local/llava:7b";

test("a start chooses an image model, until somebody chooses none", async () => {
  const service = await serviceWith([]);
  const state = { withImageModel: [] };
  const start = async () => {
    const subject = { identifier: "notes", name: "Notes", folder: "/notes" };
    await setUpResources(service.api, subject, "local/chat", state);
    return service.sources["notes"];
  };
  expect(await start()).toMatchObject({ name: "Notes", imageModel: null });
  service.models = [SEES];
  service.sources["notes"] = { name: "Mine", provider: "web", imageModel: null };
  expect(await start()).toEqual({ name: "Mine", provider: "web", imageModel: SEES });
  service.sources["notes"] = { imageModel: null };
  expect(await start()).toEqual({ imageModel: null });
  service.sources = {};
  expect(await start()).toMatchObject({ provider: "file_system", imageModel: SEES });
});

test.each([0, 1])("failed files are listed once, at the end, if any: %i", async (failedFiles) => {
  const rag = { totalFiles: 3, processedFiles: 3 - failedFiles, failedFiles, numberVectors: 9 };
  const list = [{ filePath: "scan.pdf" }].slice(0, failedFiles);
  const requests: string[] = [];
  const { address, stop } = await listen(({ url = "" }, response) => {
    requests.push(url.split("?")[0] ?? "");
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(url.includes("/rags/") ? rag : { data: list }));
  });
  onTestFinished(stop);
  const index = await waitForIndex(panelApi(address, "key"), "notes", openTerminal(true));
  expect(index).toEqual({ total: 3, indexed: 3 - failedFiles, vectors: 9, failed: list });
  const lists = list.map(() => "/panel/api/file-sources/notes/files");
  expect(requests).toEqual(["/panel/api/rags/notes", ...lists]);
});

test("status says why files wait where a key lets it ask", async () => {
  vi.stubEnv("QUARRY_TOKEN", "qry_a");
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const waiting = [{ reason: "embedding provider: 503", files: 2 }];
  const rag = { status: "active", totalFiles: 3, processedFiles: 1, numberVectors: 1 };
  vi.stubGlobal("fetch", ({ url }: Request) =>
    Promise.resolve(
      Response.json({ data: [], total: 0, ...rag, ...(/panel/.test(url) && { waiting }) }),
    ),
  );
  for (const [key, line] of [
    ["", "Set QUARRY_KEY as well to see why files wait.\n"],
    ["qrya_a", "2 files wait: embedding provider: 503\n"],
  ] as const) {
    vi.stubEnv("QUARRY_KEY", key);
    await statusCommand().parseAsync(["docs", "--url", "http://q"], { from: "user" });
    expect(write).toHaveBeenLastCalledWith(line);
  }
});
