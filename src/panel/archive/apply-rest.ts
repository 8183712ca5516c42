import { writeAccess } from "../../db/archive/access-store.ts";
import type { ActionContext } from "../action.ts";
import { applyPlan, planSettings } from "../config/plan.ts";
import type { WholePlan } from "./plan-import.ts";

/** Makes the rest of an import, after its sources and RAGs. A second call changes nothing. */
export async function applyRest(context: ActionContext, plan: WholePlan): Promise<void> {
  const { db } = context.get("services");
  // Limits may be of tokens, and tokens of inferences.
  await writeAccess(db, plan.access);
  await applyPlan(
    context,
    await planSettings(context, plan.settings, { prune: false, dryRun: false }),
  );
  await writeAccess(db, plan.access);
}
