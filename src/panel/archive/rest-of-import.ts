import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { invalidFields, QuarryError, messageOf } from "../../core/errors.ts";
import { writeAccess, type Access } from "../../db/archive/access-store.ts";
import { allQuestions, removeOtherQuestions } from "../../db/evaluation/question-store.ts";
import { listSets, type QuestionSet } from "../../db/evaluation/set-store.ts";
import { portionsOf } from "../../db/sql.ts";
import { MAX_SETS } from "../../evaluation/limits.ts";
import { questionsAsJsonLines } from "../../evaluation/questions/export-questions.ts";
import { parseQuestions } from "../../evaluation/questions/import-questions.ts";
import { keepQuestions } from "../../evaluation/questions/keep-questions.ts";
import { findQuestionSet } from "../../evaluation/questions/question-sets.ts";
import type { ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import type { Services } from "../../services.ts";
import type { ActionContext } from "../action.ts";
import type { Values } from "../config/kinds.ts";
import { applyPlan, planSettings } from "../config/plan.ts";
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

/** The name of the set whose questions a part has. */
const setOfPart = (part: string) => /^questions\/(.+)\.jsonl$/.exec(part)?.[1];

/** A part for each of these question sets that has questions: one may have been made since. */
export async function* questionParts({ db }: Pick<Services, "db">, settings: object = {}) {
  const { data: sets } = await listSets(db, { offset: 0, limit: MAX_SETS });
  for (const { id, identifier, questions } of sets) {
    if (questions === 0 || !Object.hasOwn(settings, identifier)) continue;
    const lines = questionsAsJsonLines(await allQuestions(db, id));
    const content = new TextEncoder().encode(lines);
    yield { name: `questions/${identifier}.jsonl`, content };
  }
}

/** @throws QuarryError `invalid` */
async function questionsIn(
  archive: ArchiveReader,
  part: string,
  set: Pick<QuestionSet, "subjectKind">,
) {
  const text = new TextDecoder().decode((await archive.bytes(part)) ?? new Uint8Array());
  try {
    return parseQuestions(text, "jsonl", set);
  } catch (thrown) {
    throw damagedArchive(`has a damaged part: ${part} (${messageOf(thrown)})`);
  }
}

/** Makes the questions of a set those of the archive. `part` undefined: it has none of this set. */
async function writeQuestions(
  services: Services,
  archive: ArchiveReader,
  { part, identifier }: { part: string | undefined; identifier: string },
): Promise<void> {
  const set = await findQuestionSet(services, identifier);
  const contents = part === undefined ? [] : await questionsIn(archive, part, set);
  await removeOtherQuestions(
    services.db,
    set.id,
    contents.map(({ question }) => question),
  );
  for (const some of portionsOf(contents)) await keepQuestions(services, { set, asked: some });
}
