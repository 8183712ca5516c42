import type { PageContext } from "../page-env.ts";
import { setFlash, type Flash } from "./flash.ts";
import { attempt, formOf, type Form, type FormState } from "./form.ts";

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

type Submission<Result> = {
  audit: [action: string, target?: string];
  /** Where it was read already. */
  form?: Form;
  /** The form's fields; other problems are shown above it. */
  fields: readonly string[];
  /** Does what the form asks for. */
  work: (form: Form) => Promise<Result>;
  /** The page with the form that failed. */
  again: (state: FormState, form: Form) => Promise<Response>;
  /** Where success leads, the notice there, and the created resource. */
  leads: (result: Result) => Told & { to: string; target?: string };
};

/** The answer to a posted form: the next page, or the form again with what is wrong. */
export async function submit<Result>(context: PageContext, of: Submission<Result>) {
  auditAs(context, ...of.audit);
  const form = of.form ?? (await formOf(context));
  const tried = await attempt(form, of.fields, async () => await of.work(form));
  if (!tried.done) return await of.again(tried.state, form);
  const { to, target, ...told } = of.leads(tried.result);
  if (target !== undefined) auditAs(context, of.audit[0], target);
  return redirectWithNotice(context, to, told);
}
