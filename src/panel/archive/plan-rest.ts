import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { invalidFields, QuarryError } from "../../core/errors.ts";
import type { NewAccess } from "../../db/archive/access-store.ts";
import type { ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import type { Services } from "../../services.ts";
import type { Values } from "../config/kinds.ts";
import { planAccess } from "./archive-access.ts";
import { questionsIn, setOfPart } from "./archive-questions.ts";
import type { PlannedThing, renameThings } from "./rename-things.ts";

/** The rest of an import: `settings` are applied when sources and RAGs are visible. */
export type RestPlan = {
  settings: Values;
  access: NewAccess;
  /** Parts with questions, and the set of each. */
  questions: Record<string, string>;
  things: PlannedThing[];
};

type Planning = { rehearse: (settings: Values) => Promise<unknown> };

/** @throws QuarryError `invalid`: settings that do not fit this service, or damaged parts */
export async function planRest(
  services: Services,
  archive: ArchiveReader,
  { settings, names, outcomes, rehearse }: ReturnType<typeof renameThings> & Planning,
): Promise<RestPlan> {
  const nameOf = (kind: string, name: string) => {
    const as = names.get(`${kind}.${name}`) ?? name;
    return settings[kind]?.[as] === undefined ? undefined : as;
  };
  const { access, accessThings, tokenIds } = await planAccess(services, archive, nameOf);
  const questions: RestPlan["questions"] = {};
  for (const part of archive.names) {
    const name = setOfPart(part);
    if (name === undefined) continue;
    const as = nameOf("questionSets", name);
    if (as === undefined) throw damagedArchive(`lacks settings: questionSets.${name}`);
    const isOfRag = settings["questionSets"]?.[as]?.["rag"] !== undefined;
    await questionsIn(archive, part, { subjectKind: isOfRag ? "rag" : "inference" });
    questions[part] = as;
  }
  const { fileSources: _sources, rags: _rags, limits: archivedLimits = {}, ...rest } = settings;
  const limits = limitsBy(archivedLimits, (token) => token === undefined || tokenIds.has(token));
  // Tokens of the archive are not there yet.
  const checkable = limitsBy(limits, (token) => token === undefined);
  await rehearse({ ...settings, limits: checkable }).catch((thrown: unknown) => {
    if (!(thrown instanceof QuarryError) || thrown.kind !== "invalid") throw thrown;
    // Sources and RAGs are written as they were, whatever models are bound here.
    const problems = thrown.fields.filter(({ field }) => !/^(?:fileSources|rags)\./.test(field));
    if (problems.length > 0) throw invalidFields(problems);
  });
  const isLacking = ({ thing }: PlannedThing) =>
    thing.startsWith("limits.token ") && !(thing.slice("limits.".length) in limits);
  const things = outcomes.map((planned): PlannedThing =>
    isLacking(planned) ? { thing: planned.thing, outcome: "skipped" } : planned,
  );
  return {
    settings: { ...rest, limits },
    access,
    questions,
    things: [...things, ...accessThings],
  };
}

/** Limits by the token that they are of; undefined: they are of something else. */
const limitsBy = (limits: Record<string, Values>, keeps: (token: string | undefined) => boolean) =>
  Object.fromEntries(
    Object.entries(limits).filter(([name]) => keeps(/^token (\S+)/.exec(name)?.[1])),
  );
