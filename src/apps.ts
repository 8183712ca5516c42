import { composeServices } from "./compose.ts";
import { createApp } from "./http/app.ts";

/*
 * When an isolate starts, it evaluates only what a search needs: the panel, the consumers and the
 * models' SDK are evaluated by the first event that needs them.
 */
const api = createApp(composeServices);

type App = typeof api;
type RouteGroup = { paths: RegExp; mount: (app: App) => Promise<void> };

/** Routes that the first request to their paths evaluates. */
export const MOUNTED: RouteGroup[] = [
  {
    paths: /^\/panel\/api\//,
    mount: async (app) => {
      const { panelApi } = await import("./panel/api/app.ts");
      app.route("/panel/api", panelApi());
    },
  },
  {
    paths: /^\/panel(\/|$)/,
    mount: async (app) => {
      const { panelPages } = await import("./panel/pages/app.ts");
      app.route("/panel", panelPages());
    },
  },
  {
    paths: /^\/metrics\/?$/,
    mount: async (app) => {
      const { metricsRoute } = await import("./panel/metrics.ts");
      app.route("/", metricsRoute);
    },
  },
  {
    paths: /^\/authorize\/?$/,
    mount: async (app) => {
      const { authorizePages } = await import("./panel/pages/authorize/authorize.tsx");
      app.route("/authorize", authorizePages());
    },
  },
  {
    // Other APIs than our own; see docs/architecture.md.
    paths: /^\/(v1|mcp|dify|oauth|token|register|\.well-known)(\/|$)/,
    mount: async (app) => {
      const { protocols } = await import("./protocols/app.ts");
      app.route("/", protocols());
    },
  },
];

const opened = new Map<RouteGroup, App>();

/**
 * Finds the path in a request's URL, which the runtime has written: parsing it once more takes
 * longer.
 */
const PATH = /^[^:]*:\/\/[^/?#]*([^?#]*)/;

/** The service as it serves a request's path. */
export async function appFor({ url }: Request): Promise<App> {
  const pathname = PATH.exec(url)?.[1] ?? "/";
  const mounted = MOUNTED.find(({ paths }) => paths.test(pathname));
  if (mounted === undefined) return api;
  const known = opened.get(mounted);
  if (known !== undefined) return known;
  const app = createApp(composeServices);
  await mounted.mount(app);
  opened.set(mounted, app);
  return app;
}
