import { composeServices } from "./compose.ts";
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { beginIsolate } from "./jobs/begin-isolate.ts";

/*
 * When an isolate starts, it evaluates only what a search needs: the panel, the consumers and the
 * models' SDK are evaluated by the first event that needs them.
 */
const api = createApp(composeServices);

let withPanel: typeof api | null = null;

async function appWithPanel(): Promise<typeof api> {
  if (withPanel !== null) return withPanel;
  const { panelApi } = await import("./panel/api/app.ts");
  const app = createApp(composeServices);
  app.route("/panel/api", panelApi());
  withPanel = app;
  return app;
}

const isForPanel = ({ url }: Request) => new URL(url).pathname.startsWith("/panel/");

/** An isolate's first event also sets the clock's alarm. */
function begin(env: Env, context: ExecutionContext): void {
  beginIsolate(() => composeServices(env, context));
}

export default {
  async fetch(request, env, context) {
    begin(env, context);
    const app = isForPanel(request) ? await appWithPanel() : api;
    return await app.fetch(request, env, context);
  },
  async queue(batch, env, context) {
    begin(env, context);
    const { consume } = await import("./jobs/consume.ts");
    await consume(composeServices(env, context), batch);
  },
  async scheduled(_controller, env, context) {
    begin(env, context);
    await composeServices(env, context).wakeClock();
  },
} satisfies ExportedHandler<Env>;

export { Clock } from "./durable-objects/clock.ts";
export { DriveDebounce } from "./durable-objects/drive-debounce.ts";
export { RagIndex } from "./durable-objects/rag-index.ts";
export { RateWindow } from "./durable-objects/rate-window.ts";
