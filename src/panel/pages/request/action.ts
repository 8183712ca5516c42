import type { PageContext } from "../page-env.ts";
import { setFlash, type Flash } from "./flash.ts";

/**
 * Names a change for the audit trail, as the API's route names it: `file-sources.create`, and the
 * resource. Called before the change, so that a failed one is recorded as well.
 */
export function auditAs(context: PageContext, action: string, target: string | null = null): void {
  context.set("auditAction", action);
  if (target !== null) context.set("auditTarget", target);
}

type Told = { notice?: string; problem?: string; secret?: Flash["secret"] };

/** The answer to a form that succeeded. The next page shows the notice once. */
export function redirectWithNotice(
  context: PageContext,
  address: string,
  told: Told = {},
): Response {
  const { notice = null, problem = null, secret = null } = told;
  const { pathname: path } = new URL(address, "http://here");
  if (Object.keys(told).length > 0) setFlash(context, { path, notice, problem, secret });
  return context.redirect(address, 303);
}
