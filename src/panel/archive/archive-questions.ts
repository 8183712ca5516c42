import { damagedArchive } from "../../core/bytes/zip/read-zip.ts";
import { messageOf } from "../../core/errors.ts";
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

/** The name of the set whose questions a part has. */
export const setOfPart = (part: string) => /^questions\/(.+)\.jsonl$/.exec(part)?.[1];

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
export async function questionsIn(
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
export async function writeQuestions(
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
