import { appFor } from "./apps.ts";
import { composeServices, storage } from "./compose.ts";
import type { Env } from "./env.ts";
import { beginIsolate } from "./jobs/begin-isolate.ts";

/** An isolate's first event also sets the clock's alarm. */
function begin(env: Env, context: ExecutionContext): void {
  beginIsolate(storage, () => composeServices(env, context));
}

export default {
  async fetch(request, env, context) {
    begin(env, context);
    const app = await appFor(request);
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
export { EventSender } from "./durable-objects/event-sender.ts";
export { RagIndex } from "./durable-objects/rag-index.ts";
export { RateWindow } from "./durable-objects/rate-window.ts";
export { SpendingLedger } from "./durable-objects/spending-ledger.ts";
export { RequestRecords } from "./durable-objects/request-records.ts";
