import { createMiddleware } from "hono/factory";

import { QuarryError } from "../../core/errors.ts";
import type { AppEnv } from "../app-env.ts";

const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * A local server answers only to its own names. With DNS rebinding, another site's name points at
 * this machine, and the browser takes its pages for the server's own origin.
 * @throws QuarryError `forbidden`.
 */
export const ownHostsOnly = createMiddleware<AppEnv>(async (context, next) => {
  const { ENVIRONMENT, PUBLIC_BASE_URL } = context.get("services").config;
  if (ENVIRONMENT === "development") {
    const { hostname } = new URL(context.req.url);
    const own = PUBLIC_BASE_URL === undefined ? [] : [new URL(PUBLIC_BASE_URL).hostname];
    if (![...LOCAL_NAMES, ...own].includes(hostname)) throw foreignHost();
  }
  await next();
});

const foreignHost = () =>
  new QuarryError(
    "forbidden",
    "Forbidden: a local service answers to localhost, 127.0.0.1, [::1] and the name in PUBLIC_BASE_URL",
  );
