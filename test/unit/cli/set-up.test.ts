import { expect, onTestFinished, test } from "vitest";

import { panelApi } from "../../../src/cli/api/clients.ts";
import { setUpResources } from "../../../src/cli/demo/set-up.ts";
import { listen } from "../../doubles/listen.ts";

/** A service with one source, whose local server lists these models. */
async function serviceWith(models: string[]) {
  const service = { models, imageModel: undefined as string | null | undefined };
  const { address, stop } = await listen((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const isSource = url.includes("/file-sources");
      const settings = JSON.parse(body === "" ? "{}" : body) as { imageModel?: string | null };
      if (isSource && method !== "GET") service.imageModel = settings.imageModel;
      const modelServers = [{ models: service.models.map((model) => ({ model })) }];
      const answer = url.includes("/model-servers")
        ? modelServers
        : { imageModel: service.imageModel };
      const isMissing = isSource && service.imageModel === undefined;
      response.writeHead(isMissing ? 404 : 200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(isMissing ? { error: "Not found" } : answer));
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
    return service.imageModel;
  };
  expect(await start()).toBe(null);
  service.models = [SEES];
  expect(await start()).toBe(SEES);
  service.imageModel = null;
  expect(await start()).toBe(null);
});
