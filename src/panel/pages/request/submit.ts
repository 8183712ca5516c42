import type { z } from "@hono/zod-openapi";

import { perform, routeOf, type Action } from "../../action.ts";
import type { FormValues, FormState } from "../../components/form.tsx";
import type { PageContext } from "../page-env.ts";
import { attempt, formOf, redirectWithNotice, refuseStale } from "./form.ts";
import type { ShownVersion, FormOutcome } from "./form.ts";

/** How a page sends a change: what its form holds, and where success leads. */
export type FormPage<Result> = {
  form?: FormValues;
  /** The form as the action's settings declare it. */
  declared?: {
    names: readonly string[];
    body: (form: FormValues) => object;
    patch: (form: FormValues) => object;
  };
  /** The body that the API takes, where the declaration does not say it. */
  body?: (form: FormValues) => unknown;
  /** The form's fields; other problems are shown above it. */
  fields?: readonly string[];
  /** The record that it changes: refused when that changed since the form was shown. */
  changes?: ShownVersion;
  /** The form with what its author can correct; absent: a button, whose errors have a page. */
  failedPage?: (state: FormState, form: FormValues) => Promise<Response>;
  /** Where success leads. */
  to: string | ((result: Result, form: FormValues) => string);
  /** Shown on the next page; absent: the notice of the action. */
  flashOf?: (result: Result) => FormOutcome;
};

/** The answer to a posted form: the next page, or the form again with what is wrong. */
export async function submit<Subject, Body extends z.ZodType, Result>(
  context: PageContext,
  change: Action<Subject, Body, Result>,
  { subject, ...page }: FormPage<Result> & { subject: Subject },
): Promise<Response> {
  const { declared, fields = declared?.names ?? [], failedPage, to, flashOf } = page;
  const form = page.form ?? (await formOf(context));
  const work = async () => {
    refuseStale(form, page.changes);
    const isPatch = routeOf(change).startsWith("patch ");
    const input = (await page.body?.(form)) ?? declared?.[isPatch ? "patch" : "body"](form) ?? {};
    return await perform(context, change, { subject, input });
  };
  const redirectAfter = (result: Result) => {
    const notice =
      typeof change.notice === "function" ? change.notice(result, subject) : change.notice;
    const flash = flashOf?.(result) ?? (notice === undefined ? {} : { notice });
    return redirectWithNotice(context, typeof to === "string" ? to : to(result, form), flash);
  };
  if (failedPage === undefined) return redirectAfter(await work());
  const attempted = await attempt(form, fields, work, context);
  return attempted.done ? redirectAfter(attempted.result) : await failedPage(attempted.state, form);
}
