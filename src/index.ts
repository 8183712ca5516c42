import { composeServices } from "./compose.ts";
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { panelApi } from "./panel/api/app.ts";

const app = createApp(composeServices);
app.route("/panel/api", panelApi());

export default {
  fetch: app.fetch,
} satisfies ExportedHandler<Env>;

export { Clock } from "./durable-objects/clock.ts";
export { DriveDebounce } from "./durable-objects/drive-debounce.ts";
export { RagIndex } from "./durable-objects/rag-index.ts";
export { RateWindow } from "./durable-objects/rate-window.ts";
