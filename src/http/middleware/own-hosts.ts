import { createMiddleware } from "hono/factory";

import { bearerIn } from "../../access/bearer.ts";
import { isWellFormedKey, isWellFormedToken } from "../../access/credential-format.ts";
import { notFound, QuarryError } from "../../core/errors.ts";
import type { AppEnv } from "../app-env.ts";
import { proxyTarget, isFromThisMachine } from "../client-address.ts";

const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];
/** A name or an address, and a port. The runtime takes what follows in a `Host` for a path. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Where only a credential opens anything: all doors of programs but the sign-in. */
const PROGRAM_PATHS = /^\/(?:api|v1|mcp|dify|metrics|panel\/api(?!\/session(?:\/|$)))(?:\/|$)/;
/** Load balancers ask them by address and without a credential; they show no contents. */
const PROBE_PATHS = new Set(["/health", "/ready"]);

/**
 * A local server answers only to its own names. With DNS rebinding, another site's name points at
 * this machine, and the browser takes its pages for the server's own origin. Once the service has
 * a public name, only programs on its machine use the local ones. A program with a credential uses
 * any other name, such as a container's in its network: no page of another site has one, and most
 * requests of a page name its `Origin`.
 * @throws QuarryError `forbidden`.
 */
export const requireOwnHost = createMiddleware<AppEnv>(async (context, next) => {
  const { config } = context.get("services");
  const { raw, path } = context.req;
  if (config.ENVIRONMENT === "development" && !PROBE_PATHS.has(path)) {
    // Development servers have doors here. A started service has none, under any name.
    if (/^\/cdn-cgi(?:\/|$)/.test(path)) throw notFound();
    const host = raw.headers.get("Host") ?? new URL(raw.url).host;
    const called = proxyTarget(config, raw).host ?? host;
    const { PUBLIC_BASE_URL: address } = config;
    const own = address === undefined ? LOCAL_NAMES : [new URL(address).hostname];
    const names = [...LOCAL_NAMES, ...own];
    const isOwn = isOneOf(called, isFromThisMachine(raw) ? names : own);
    if (isOwn && isOneOf(host, names)) return await next();
    const areOther = [called, host].every((name) => HOST.test(name) && !isOneOf(name, LOCAL_NAMES));
    if (!areOther || !isProgram(raw.headers, path)) throw foreignHost();
  }
  await next();
});

const isOneOf = (host: string, names: string[]) =>
  names.includes(HOST.exec(host)?.[1]?.toLowerCase() ?? "");

function isProgram(headers: Headers, path: string): boolean {
  const credential = bearerIn(headers.get("Authorization")) ?? "";
  const isCredential = isWellFormedToken(credential) || isWellFormedKey(credential);
  return isCredential && PROGRAM_PATHS.test(path) && headers.get("Origin") === null;
}

const foreignHost = () =>
  new QuarryError(
    "forbidden",
    "Forbidden: a local service answers to the name in PUBLIC_BASE_URL, and to localhost, 127.0.0.1 and [::1] without one or from its own machine",
  );
