import { composeServices } from "./compose.ts";
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { beginIsolate } from "./jobs/begin-isolate.ts";
import { consume } from "./jobs/consume.ts";
import { panelApi } from "./panel/api/app.ts";

const app = createApp(composeServices);
app.route("/panel/api", panelApi());

/** An isolate's first event also sets the clock going. */
function begin(env: Env, context: ExecutionContext): void {
  beginIsolate(() => composeServices(env, context));
}

export default {
  fetch(request, env, context) {
    begin(env, context);
    return app.fetch(request, env, context);
  },
  async queue(batch, env, context) {
    begin(env, context);
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
