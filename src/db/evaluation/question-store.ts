import type { QuestionId, QuestionSetId } from "../../core/ids.ts";
import { readPage, type Slice } from "../page.ts";
import type { RagRecord } from "../records.ts";
import { questions as table } from "../schema/index.ts";
import { assignSql, columnsOf, namedColumns, pick, select, text, UPDATED } from "../select.ts";
import type { Row } from "../select.ts";
import {
  execute,
  hasRows,
  raw,
  readRow,
  readRows,
  readValues,
  sql,
  type Database,
} from "../sql.ts";

const { setId: _of, ...ofQuestion } = columnsOf(table);
const QUESTION = select(ofQuestion);
export type Question = Row<typeof QUESTION>;

/** The columns of questions and expected results, of questions and of their copies in a run. */
export const CONTENT = ["question", "expected", "answerCheck", "answer", "jsonSchema"] as const;

export type QuestionContent = Pick<Question, (typeof CONTENT)[number]>;

/** A page of a set's questions in the order in which they were added. */
export const listQuestions = (db: Database, setId: QuestionSetId, slice: Slice) =>
  readPage(db, QUESTION, {
    ...slice,
    from: sql`from questions where set_id = ${setId}`,
    order: raw("id"),
  });

export const findQuestion = (db: Database, setId: QuestionSetId, questionId: string) =>
  readRow(db)`select ${QUESTION} from questions
    where set_id = ${setId} and id = ${questionId}`;

export type NewQuestion = QuestionContent & { id: QuestionId };

const [, ...EXPECTED] = CONTENT;
const GIVEN = namedColumns(table, "id", ...CONTENT);

/**
 * Writes questions; one with the same text is replaced, so that a second import changes nothing.
 * Writes all or none.
 * @returns the ids of those that were written: an older one's where that was replaced. Null when
 * the set would have more than `most`.
 */
export async function putQuestions(
  db: Database,
  setId: QuestionSetId,
  { questions, now, most }: { questions: readonly NewQuestion[]; now: number; most: number },
): Promise<QuestionId[] | null> {
  const ids = await readValues(db, ofQuestion.id)`insert into questions (${GIVEN.columns}, set_id,
      created_at)
    select ${GIVEN.values}, ${setId}, ${now} from json_each(${questions}) m
    where (select count(*) from (
      select question from questions where set_id = ${setId}
      union select value ->> 'question' from json_each(${questions}))) <= ${most}
    on conflict (set_id, question) do update set ${namedColumns(table, ...EXPECTED).excluded}
    returning id`;
  if (ids.length === 0 && questions.length > 0) return null;
  return [...new Set(ids)];
}

/** False when another question of the set has the same text, or the question was deleted. */
export const updateQuestion = (db: Database, setId: QuestionSetId, question: NewQuestion) =>
  hasRows(db)`update or ignore questions
    set ${assignSql(table, pick(question, ...CONTENT))}, ${UPDATED}
    where set_id = ${setId} and id = ${question.id} returning 1`;

export const deleteQuestion = (db: Database, setId: QuestionSetId, questionId: string) =>
  hasRows(db)`delete from questions where set_id = ${setId} and id = ${questionId} returning 1`;

/** Removes the questions of a set that have none of these texts. */
export const removeOtherQuestions = (db: Database, setId: QuestionSetId, texts: string[]) =>
  execute(db)`delete from questions where set_id = ${setId}
    and question not in (select value from json_each(${texts}))`;

export const allQuestions = (db: Database, setId: QuestionSetId) =>
  readRows(db)`select ${QUESTION} from questions
    where set_id = ${setId} order by id`;

export const hasJudgedQuestions = (db: Database, setId: QuestionSetId) =>
  hasRows(db)`select 1 from questions where set_id = ${setId} and answer_check = 'judged' limit 1`;

/** Those of the paths, at most `limit`, that no file of these RAGs has. */
export const absentFiles = (
  db: Database,
  rags: readonly Pick<RagRecord, "id" | "generation">[],
  { paths, limit }: { paths: readonly string[]; limit: number },
) =>
  readValues(db, text("p.value"))`select p.value from json_each(${paths}) p
    where not exists (
      select 1 from json_each(${rags.map(({ id, generation }) => ({ id, generation }))}) r
      join rag_files x on x.rag_id = r.value ->> 'id' and x.generation = r.value ->> 'generation'
        and x.status in ('indexed', 'processing', 'pending', 'error') and x.path = p.value)
    limit ${limit}`;
