import { composeServices } from "./compose.ts";
import type { Env } from "./env.ts";

export default {
  async fetch(_request, env, context) {
    const services = composeServices(env, context);
    return Response.json({ environment: services.config.ENVIRONMENT });
  },
} satisfies ExportedHandler<Env>;

export { Clock } from "./durable-objects/clock.ts";
export { DriveDebounce } from "./durable-objects/drive-debounce.ts";
export { RagIndex } from "./durable-objects/rag-index.ts";
export { RateWindow } from "./durable-objects/rate-window.ts";
