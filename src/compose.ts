import { parseConfig } from "./config.ts";
import { jsonLog } from "./core/log.ts";
import { openDatabase } from "./db/client.ts";
import type { Env } from "./env.ts";

/** What of a request's or an event's context the services use. */
type Context = { waitUntil(work: Promise<unknown>): void };

/** Parsed once an isolate: the bindings and variables of a deployment never change under it. */
const configs = new WeakMap<Env, ReturnType<typeof parseConfig>>();

function configOf(env: Env) {
  const known = configs.get(env);
  if (known !== undefined) return known;
  const config = parseConfig(env);
  configs.set(env, config);
  return config;
}

/** Configuration and bindings become Services. The only importer of adapters. */
export function composeServices(env: Env, context: Context) {
  return {
    config: configOf(env),
    now: () => Date.now(),
    // oxlint-disable-next-line no-console -- the console is the Worker's log
    log: jsonLog((level, line) => console[level](line)),
    db: openDatabase(env.DB),
    files: env.FILES,
    inBackground: (work: Promise<unknown>) => context.waitUntil(work),
  };
}
