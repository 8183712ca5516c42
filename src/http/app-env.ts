import type { Env } from "../env.ts";
import type { Services } from "../services.ts";

/** What every handler finds in its context. */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    services: Services;
    requestId: string;
    /** Who calls, as soon as it is known. */
    actor?: Actor;
    /** What a change is about, where the path does not say it. */
    auditTarget?: string;
    /** What a change is called, where its method and path do not say it. */
    auditAction?: string;
  };
};

/** `name`: an e-mail address, or the name of a key or token; null where the log alone asks. */
export type Actor = { kind: "user" | "key" | "token"; id: string; name: string | null };
