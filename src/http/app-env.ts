import type { Env } from "../env.ts";
import type { Services } from "../services.ts";

/** What every handler finds in its context. */
export type AppEnv = {
  Bindings: Env;
  Variables: { services: Services; requestId: string };
};
