import type { Actor, AuditEntry } from "../access/audit/record-event.ts";
import type { Env } from "../env.ts";
import type { Services } from "../services.ts";

/** Bindings and variables in every handler's context. */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    services: Services;
    requestId: string;
    /** The caller, as soon as it is known. */
    actor?: Actor;
    /** The entry for the audit trail; absent: none. */
    audit?: AuditEntry | undefined;
  };
};
