import { z } from "zod";

import type { QuestionId, QuestionSetId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, json, nullable, number, oneOf, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import type { Slice } from "../page.ts";
import { execute, query, readRow, readRows, runBatch } from "../raw-sql.ts";
import { ANSWER_CHECKS } from "../schema/evaluation.ts";
import { expectedShape } from "./stored-shapes.ts";
import { NEXT_UPDATE } from "../updated-at.ts";

/** The columns of what is asked and expected, of questions and of their copies in a run. */
export const ASKED = {
  question: text,
  expected: json(z.array(expectedShape)),
  answerCheck: nullable(oneOf(ANSWER_CHECKS)),
  answer: nullable(text),
  jsonSchema: nullable(text),
};

const askedRow = row(ASKED);
/** What a question asks and expects. */
export type QuestionContent = Row<typeof askedRow>;

const QUESTION = row({
  id: id<QuestionId>(),
  ...ASKED,
  createdAt: number,
});
export type Question = Row<typeof QUESTION>;

const COLUMNS = `id, question, expected, answer_check as answerCheck, answer,
  json_schema as jsonSchema, created_at as createdAt`;

/** A page of a set's questions in the order in which they were added. */
export async function listQuestions(db: Database, setId: QuestionSetId, { offset, limit }: Slice) {
  const [data, [counted]] = await runBatch(db, [
    query(
      QUESTION,
      `select ${COLUMNS} from questions where set_id = ?1 order by id limit ?2 offset ?3`,
      setId,
      limit,
      offset,
    ),
    query(
      row({ total: number }),
      `select count(*) as total from questions where set_id = ?1`,
      setId,
    ),
  ]);
  return { data, total: counted?.total ?? 0 };
}

export async function findQuestion(
  db: Database,
  setId: QuestionSetId,
  questionId: string,
): Promise<Question | null> {
  return await readRow(
    db,
    QUESTION,
    `select ${COLUMNS} from questions where set_id = ?1 and id = ?2`,
    setId,
    questionId,
  );
}

export type NewQuestion = QuestionContent & { id: QuestionId };

const VALUES = `json_extract(value, '$.id'), ?1,
  json_extract(value, '$.question'), json_extract(value, '$.expected'),
  json_extract(value, '$.answerCheck'), json_extract(value, '$.answer'),
  json_extract(value, '$.jsonSchema'), ?2`;

const REPLACE = `on conflict (set_id, question) do update set
  expected = excluded.expected, answer_check = excluded.answer_check, answer = excluded.answer,
  json_schema = excluded.json_schema`;

/**
 * Writes questions; one with the same text is replaced, so that a second import changes nothing.
 * Writes all or none.
 * @returns the ids of those that were written: an older one's where that was replaced. Null when the set would have more than `most`.
 */
export async function putQuestions(
  db: Database,
  setId: QuestionSetId,
  { questions, now, most }: { questions: readonly NewQuestion[]; now: number; most: number },
): Promise<QuestionId[] | null> {
  const rows = JSON.stringify(questions);
  const written = await readRows(
    db,
    row({ id: id<QuestionId>() }),
    `insert into questions (id, set_id, question, expected, answer_check, answer,
       json_schema, created_at)
     select ${VALUES} from json_each(?3)
     where (select count(*) from (
       select question from questions where set_id = ?1
       union select json_extract(value, '$.question') from json_each(?3))) <= ?4
     ${REPLACE} returning id`,
    setId,
    now,
    rows,
    most,
  );
  if (written.length === 0 && questions.length > 0) return null;
  return [...new Set(written.map((one) => one.id))];
}

/** False when another question of the set has the same text, or the question was deleted. */
export async function updateQuestion(
  db: Database,
  setId: QuestionSetId,
  question: NewQuestion,
): Promise<boolean> {
  const updated = await execute(
    db,
    `update or ignore questions set question = ?3, expected = ?4, answer_check = ?5, answer = ?6,
       json_schema = ?7, updated_at = ${NEXT_UPDATE}
     where set_id = ?1 and id = ?2 returning 1`,
    setId,
    question.id,
    question.question,
    question.expected,
    question.answerCheck,
    question.answer,
    question.jsonSchema,
  );
  return updated.length > 0;
}

export async function deleteQuestion(
  db: Database,
  setId: QuestionSetId,
  questionId: string,
): Promise<boolean> {
  const deleted = await execute(
    db,
    `delete from questions where set_id = ?1 and id = ?2 returning 1`,
    setId,
    questionId,
  );
  return deleted.length > 0;
}

/** All questions of a set, for an export. */
export async function allQuestions(db: Database, setId: QuestionSetId): Promise<Question[]> {
  return await readRows(
    db,
    QUESTION,
    `select ${COLUMNS} from questions where set_id = ?1 order by id`,
    setId,
  );
}

/** Whether a run of the set needs a judge. */
export async function hasJudgedQuestions(db: Database, setId: QuestionSetId): Promise<boolean> {
  const found = await execute(
    db,
    `select 1 from questions where set_id = ?1 and answer_check = 'judged' limit 1`,
    setId,
  );
  return found.length > 0;
}
