import { parseConfig } from "../../src/config.ts";
import { jsonLog } from "../../src/core/log.ts";
import { createApp } from "../../src/http/app.ts";
import { panelDocument } from "../../src/panel/api/app.ts";
import type { Services } from "../../src/services.ts";

const BASE_URL = "https://quarry.test";

/** The texts of all OpenAPI documents that the service has, the published one first. */
export async function servedDocuments(): Promise<string[]> {
  const config = parseConfig({ ENVIRONMENT: "development", PUBLIC_BASE_URL: BASE_URL });
  // The documents need no more of the services than this.
  const services = { config, log: jsonLog(() => {}) } as unknown as Services;
  const app = createApp(() => services);
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const paths = ["/api/openapi.json", "/api/openapi-agents-and-webhooks.json"];
  const fetched = paths.map(async (path) => {
    const response = await app.fetch(new Request(`${BASE_URL}${path}`), {}, context);
    return await response.text();
  });
  return [...(await Promise.all(fetched)), JSON.stringify(panelDocument(BASE_URL))];
}
