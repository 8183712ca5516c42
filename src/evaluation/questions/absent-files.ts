import { findInference } from "../../catalog/inferences/runner-verbs.ts";
import { findRag } from "../../catalog/rags/find-rag.ts";
import { absentFiles, type QuestionContent } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Database } from "../../db/sql.ts";
import type { Services } from "../../services.ts";

/** At most so many are named; a set that names more was made for another RAG. */
const MAX_NAMED = 10;

/** At most 10 expected files that the set's target lacks: not indexed yet, or misspelt. */
export async function absentFilesOf(
  services: Pick<Services, "db">,
  { set, asked: questions }: { set: QuestionSet; asked: readonly QuestionContent[] },
): Promise<string[]> {
  return await findAbsentFiles(services.db, await ragsOfSet(services, set), questions);
}

/** Finds absent files for the RAGs that a run asks. */
export async function findAbsentFiles(
  db: Database,
  rags: readonly RagRecord[],
  questions: readonly QuestionContent[],
): Promise<string[]> {
  const paths = [...new Set(questions.flatMap(({ expected }) => expected.map(({ file }) => file)))];
  return paths.length === 0 ? [] : await absentFiles(db, rags, { paths, limit: MAX_NAMED });
}

/** The RAGs that a set asks. */
export async function ragsOfSet(
  services: Pick<Services, "db">,
  { subjectKind, subjectId: key }: QuestionSet,
): Promise<RagRecord[]> {
  if (subjectKind === "rag") return [await findRag(services, { key })];
  return (await findInference(services, { key })).rags;
}
