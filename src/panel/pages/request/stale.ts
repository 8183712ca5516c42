import { conflict } from "../../../core/errors.ts";
import { updatedAtOf, type Updated } from "../../../db/updated-at.ts";
import type { PageContext } from "../page-env.ts";
import type { Form } from "./form.ts";

/** The hidden field that tells which state of a record a form shows. */
export const UPDATED_AT = "updatedAt";

/** The value of that field. */
export const shownState = async (context: PageContext, kind: Updated, id: string) =>
  String(await updatedAtOf(context.get("services").db, kind, id));

/**
 * A form without the field, sent by a program, replaces whatever is stored.
 * @throws QuarryError `conflict` when the record changed since the form was shown.
 */
export async function refuseStale(
  context: PageContext,
  form: Form,
  [kind, id]: readonly [Updated, string],
): Promise<void> {
  const shown = form.text(UPDATED_AT);
  if (shown === "" || shown === (await shownState(context, kind, id))) return;
  throw conflict(
    "Somebody else changed this meanwhile, and nothing was saved. Send it again to replace what they saved.",
  );
}
