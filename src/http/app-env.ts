import type { Actor } from "../access/audit/record-event.ts";
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
    /** The target of a change, where the path does not name it. */
    auditTarget?: string;
    /** The name of a change, where its method and path do not give it. */
    auditAction?: string;
    /** How many files a change of files stored, where it is not one. */
    auditCount?: number;
    /** The names of a form's fields, where the body is not JSON. */
    auditFields?: string[];
  };
};
