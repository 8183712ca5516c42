import { writeAccess } from "../../db/archive/access-store.ts";
import type { ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import type { ActionContext } from "../action.ts";
import { applyPlan, planSettings } from "../config/plan.ts";
import { writeQuestions } from "./archive-questions.ts";
import type { RestPlan } from "./plan-rest.ts";

type Planned = { archive: ArchiveReader; plan: RestPlan };

/** Makes the rest of an import, after its sources and RAGs. A second call changes nothing. */
export async function applyRest(context: ActionContext, { archive, plan }: Planned): Promise<void> {
  const services = context.get("services");
  // Limits may be of tokens, and tokens of inferences.
  await writeAccess(services.db, plan.access);
  const mode = { prune: false, dryRun: false };
  await applyPlan(context, await planSettings(context, plan.settings, mode));
  await writeAccess(services.db, plan.access);
  for (const [part, identifier] of Object.entries(plan.questions)) {
    await writeQuestions(services, archive, { part, identifier });
  }
}
