import type { InferenceId, QuestionSetId, RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, nullable, number, oneOf, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import type { Slice } from "../page.ts";
import { execute, query, readRow, readRows, runBatch } from "../raw-sql.ts";
import { NEXT_UPDATE } from "../updated-at.ts";

const SET = row({
  id: id<QuestionSetId>(),
  name: text,
  identifier: text,
  judgeModel: nullable(text),
  createdAt: number,
  subjectKind: oneOf(["rag", "inference"]),
  subjectId: text,
  subjectIdentifier: text,
  subjectName: text,
  questions: number,
});

/** A question set with the RAG or inference that it asks, and how many questions it has. */
export type QuestionSet = Row<typeof SET>;

/** Sets of a RAG that was removed are no longer there. */
const FROM = `from question_sets s
  left join rags r on r.id = s.rag_id
  left join inferences i on i.id = s.inference_id
  where (i.id is not null or r.removed_at is null)`;

const COLUMNS = `s.id, s.name, s.identifier, s.judge_model as judgeModel, s.created_at as createdAt,
  case when s.rag_id is null then 'inference' else 'rag' end as subjectKind,
  coalesce(s.rag_id, s.inference_id) as subjectId,
  coalesce(r.identifier, i.identifier) as subjectIdentifier,
  coalesce(r.name, i.name) as subjectName,
  (select count(*) from questions q where q.set_id = s.id) as questions`;

/** By id or identifier; an id takes precedence. */
export async function findSet(db: Database, key: string): Promise<QuestionSet | null> {
  return await readRow(
    db,
    SET,
    `select ${COLUMNS} ${FROM} and (s.id = ?1 or s.identifier = ?1)
     order by s.id = ?1 desc limit 1`,
    key,
  );
}

/** A page of the sets in order of identifier. */
export async function listSets(db: Database, { offset, limit }: Slice) {
  const [data, [counted]] = await runBatch(db, [
    query(SET, `select ${COLUMNS} ${FROM} order by s.identifier limit ?1 offset ?2`, limit, offset),
    query(row({ total: number }), `select count(*) as total ${FROM}`),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** The sets that ask a RAG itself, in order of identifier. */
export async function setsOfRag(db: Database, ragId: RagId): Promise<QuestionSet[]> {
  return await readRows(
    db,
    SET,
    `select ${COLUMNS} ${FROM} and s.rag_id = ?1 order by s.identifier`,
    ragId,
  );
}

export type NewSetRow = {
  id: QuestionSetId;
  name: string;
  identifier: string;
  ragId: RagId | null;
  inferenceId: InferenceId | null;
  judgeModel: string | null;
  createdAt: number;
};

/** False when the identifier is taken or there are `most` sets. Sets of removed RAGs go first. */
export async function insertSet(db: Database, set: NewSetRow, most: number): Promise<boolean> {
  const [, inserted] = await runBatch(db, [
    query(
      (deleted) => deleted,
      `delete from question_sets where identifier = ?1
         and rag_id in (select id from rags where removed_at is not null)`,
      set.identifier,
    ),
    query(
      (made) => made,
      `insert into question_sets
         (id, name, identifier, rag_id, inference_id, judge_model, created_at)
       select ?1, ?2, ?3, ?4, ?5, ?6, ?7 where (select count(*) from question_sets) < ?8
       on conflict do nothing returning id`,
      set.id,
      set.name,
      set.identifier,
      set.ragId,
      set.inferenceId,
      set.judgeModel,
      set.createdAt,
      most,
    ),
  ]);
  return inserted.length > 0;
}

export async function isSetIdentifierTaken(db: Database, identifier: string): Promise<boolean> {
  const rows = await execute(db, `select 1 from question_sets where identifier = ?1`, identifier);
  return rows.length > 0;
}

/** Changes what is given. */
export async function updateSet(
  db: Database,
  id: QuestionSetId,
  { name, judgeModel }: { name?: string; judgeModel?: string | null },
): Promise<void> {
  await execute(
    db,
    `update question_sets set name = coalesce(?2, name),
       judge_model = case when ?3 then ?4 else judge_model end, updated_at = ${NEXT_UPDATE}
     where id = ?1`,
    id,
    name,
    judgeModel !== undefined,
    judgeModel,
  );
}

/** Deletes a set with its questions and runs. */
export async function deleteSet(db: Database, id: QuestionSetId): Promise<void> {
  await execute(db, `delete from question_sets where id = ?1`, id);
}
