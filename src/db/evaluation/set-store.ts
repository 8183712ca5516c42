import type { QuestionSetId, RagId } from "../../core/ids.ts";
import { readPage, type Slice } from "../page.ts";
import { questionSets } from "../schema/index.ts";
import {
  number,
  oneOf,
  text,
  assignSql,
  columnsOf,
  select,
  rowAsSelect,
  UPDATED,
  type Row,
} from "../select.ts";
import { execute, hasRows, raw, readRow, readRows, runBatch, sql, type Database } from "../sql.ts";

const { ragId: _rag, inferenceId: _inference, ...set } = columnsOf(questionSets, "s");
const SET = select({
  ...set,
  subjectKind: oneOf(
    ["rag", "inference"],
    "case when s.rag_id is null then 'inference' else 'rag' end",
  ),
  subjectId: text("coalesce(s.rag_id, s.inference_id)"),
  subjectIdentifier: text("coalesce(r.identifier, i.identifier)"),
  subjectName: text("coalesce(r.name, i.name)"),
  questions: number("(select count(*) from questions q where q.set_id = s.id)"),
});

/** A question set with the RAG or inference that it asks, and how many questions it has. */
export type QuestionSet = Row<typeof SET>;

/** Sets of a RAG that was removed are no longer there. */
const FROM = raw(`from question_sets s
  left join rags r on r.id = s.rag_id
  left join inferences i on i.id = s.inference_id
  where (i.id is not null or r.removed_at is null)`);

/** By id or identifier; an id takes precedence. */
export const findSet = (db: Database, key: string) =>
  readRow(db)`select ${SET} ${FROM} and (s.id = ${key} or s.identifier = ${key})
    order by s.id = ${key} desc limit 1`;

export const listSets = (db: Database, slice: Slice) =>
  readPage(db, SET, { ...slice, from: FROM, order: raw("s.identifier") });

/** The sets that ask a RAG itself, in order of identifier. */
export const setsOfRag = (db: Database, ragId: RagId) =>
  readRows(db)`select ${SET} ${FROM} and s.rag_id = ${ragId} order by s.identifier`;

/** False when the identifier is taken or there are `most` sets. Sets of removed RAGs go first. */
export async function insertSet(
  db: Database,
  set: typeof questionSets.$inferInsert,
  most: number,
): Promise<boolean> {
  const [, inserted] = await runBatch(db, [
    sql`delete from question_sets where identifier = ${set.identifier}
      and rag_id in (select id from rags where removed_at is not null)`,
    sql`insert into question_sets ${rowAsSelect(questionSets, set)}
      where (select count(*) from question_sets) < ${most}
      on conflict do nothing returning 1`,
  ]);
  return inserted.length > 0;
}

export const isSetIdentifierTaken = (db: Database, identifier: string) =>
  hasRows(db)`select 1 from question_sets where identifier = ${identifier}`;

export const updateSet = (
  db: Database,
  id: QuestionSetId,
  change: { name?: string | undefined; judgeModel?: string | null | undefined },
) =>
  execute(db)`update question_sets set ${assignSql(questionSets, { ...change, id })}, ${UPDATED}
    where id = ${id}`;

/** Deletes a set with its questions and runs. */
export const deleteSet = (db: Database, id: QuestionSetId) =>
  execute(db)`delete from question_sets where id = ${id}`;
