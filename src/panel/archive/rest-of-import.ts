import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { invalidFields, QuarryError } from "../../core/errors.ts";
import { writeAccess, type Access } from "../../db/archive/access-store.ts";
import type { ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import type { ActionContext } from "../action.ts";
import type { Values } from "../config/kinds.ts";
import { applyPlan, planSettings } from "../config/plan.ts";
import { questionsIn, setOfPart, writeQuestions } from "./archive-questions.ts";
import { tokenOfLimit } from "./rename-things.ts";
import type { PlannedThing, renameThings, Settings } from "./rename-things.ts";

/** The rest of an import: `settings` are applied when sources and RAGs are visible. */
export type RestPlan = {
  settings: Settings;
  access: Access;
  /** The parts with questions, by the names that their sets get here. */
  questions: Record<string, string>;
  things: PlannedThing[];
};

/** @throws QuarryError `invalid`: settings that do not fit this service, or damaged questions */
export async function planRest(
  archive: ArchiveReader,
  { settings, nameOf }: ReturnType<typeof renameThings>,
  rehearse: (settings: Values) => Promise<unknown>,
): Promise<Pick<RestPlan, "settings" | "questions">> {
  const questions: RestPlan["questions"] = {};
  for (const part of archive.names) {
    const name = setOfPart(part);
    if (name === undefined) continue;
    const as = nameOf("questionSets", name);
    if (as === undefined) throw damagedArchive(`lacks settings: questionSets.${name}`);
    const isOfRag = settings["questionSets"]?.[as]?.["rag"] !== undefined;
    await questionsIn(archive, part, { subjectKind: isOfRag ? "rag" : "inference" });
    questions[as] = part;
  }
  const { fileSources: _sources, rags: _rags, ...rest } = settings;
  const limits = Object.entries(settings["limits"] ?? {});
  // Tokens of the archive are not there yet.
  const checkable = Object.fromEntries(limits.filter(([name]) => tokenOfLimit(name) === null));
  await rehearse({ ...settings, limits: checkable }).catch((thrown: unknown) => {
    if (!(thrown instanceof QuarryError) || thrown.kind !== "invalid") throw thrown;
    // Sources and RAGs are written as they were, whatever models are bound here.
    const problems = thrown.fields.filter(({ field }) => !/^(?:fileSources|rags)\./.test(field));
    if (problems.length > 0) throw invalidFields(problems);
  });
  return { settings: rest, questions };
}

/** Makes the rest of an import, after its sources and RAGs. A second call changes nothing. */
export async function applyRest(
  context: ActionContext,
  { archive, plan }: { archive: ArchiveReader; plan: RestPlan },
): Promise<void> {
  const services = context.get("services");
  // Limits may be of tokens, and tokens of inferences.
  await writeAccess(services.db, plan.access);
  const mode = { prune: false, dryRun: false };
  await applyPlan(context, await planSettings(context, plan.settings, mode));
  await writeAccess(services.db, plan.access);
  for (const identifier of Object.keys(plan.settings["questionSets"] ?? {})) {
    await writeQuestions(services, archive, { part: plan.questions[identifier], identifier });
  }
}
