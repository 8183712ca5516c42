import { composeServices } from "./compose.ts";
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { beginIsolate } from "./jobs/begin-isolate.ts";

/*
 * When an isolate starts, it evaluates only what a search needs: the panel, the consumers and the
 * models' SDK are evaluated by the first event that needs them.
 */
const api = createApp(composeServices);

/** The service with routes that its first request evaluates. */
function later(mount: (app: typeof api) => Promise<unknown>): () => Promise<typeof api> {
  let mounted: typeof api | null = null;
  return async () => {
    if (mounted !== null) return mounted;
    const app = createApp(composeServices);
    await mount(app);
    mounted = app;
    return app;
  };
}

const appWithPanelApi = later(async (app) => {
  const { panelApi } = await import("./panel/api/app.ts");
  app.route("/panel/api", panelApi());
});
const appWithPanelPages = later(async (app) => {
  const { panelPages } = await import("./panel/pages/app.ts");
  app.route("/panel", panelPages());
});
const appWithAuthorizePage = later(async (app) => {
  const { authorizePages } = await import("./panel/pages/authorize/authorize.tsx");
  app.route("/authorize", authorizePages());
});
const appWithProtocols = later(async (app) => {
  const { protocols } = await import("./protocols/app.ts");
  app.route("/", protocols());
});

/** The paths of other APIs than our own; see docs/architecture.md. */
const PROTOCOLS = /^\/(v1|mcp|dify|oauth|\.well-known)(\/|$)/;

/** Of a request's URL, which the runtime has written: parsing it once more takes longer. */
const PATH = /^[^:]*:\/\/[^/?#]*([^?#]*)/;

async function appFor({ url }: Request): Promise<typeof api> {
  const pathname = PATH.exec(url)?.[1] ?? "/";
  if (pathname.startsWith("/panel/api/")) return await appWithPanelApi();
  if (pathname === "/panel" || pathname.startsWith("/panel/")) return await appWithPanelPages();
  if (pathname === "/authorize") return await appWithAuthorizePage();
  return PROTOCOLS.test(pathname) ? await appWithProtocols() : api;
}

/** An isolate's first event also sets the clock's alarm. */
function begin(env: Env, context: ExecutionContext): void {
  beginIsolate(() => composeServices(env, context));
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
export { RagIndex } from "./durable-objects/rag-index.ts";
export { RateWindow } from "./durable-objects/rate-window.ts";
