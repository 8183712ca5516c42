import { expect, onTestFinished, test } from "vitest";

import { panelApi } from "../../../src/cli/api/clients.ts";
import { setUpResources } from "../../../src/cli/demo/set-up.ts";
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
      const answer = request.url?.includes("/model-servers")
        ? [{ models: service.models.map((model) => ({ model })) }]
        : { fileSources: service.sources };
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer));
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
