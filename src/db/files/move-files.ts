import type { FileId, FileSourceId } from "../../core/ids.ts";
import { raw, runBatch, sql, type Database } from "../sql.ts";
import { countingInRags } from "./count-together.ts";
import { HOLDS, pendSql, type PendTimes } from "./file-rows.ts";
import { leaveSql, type RemovalTimes } from "./removal-store.ts";

export type MovedFile = { id: FileId; path: string; name: string };

/**
 * Gives files of one source new paths, which no other file may have. They are `pending` until the
 * indexes know the paths, and leave RAGs whose scopes do not contain these.
 */
export async function moveFiles(
  db: Database,
  sourceId: FileSourceId,
  files: MovedFile[],
  times: PendTimes & RemovalTimes,
) {
  const ours = sql`json_each(${files}) m cross join files f on f.id = m.value ->> 'id'`;
  const steps = [
    sql`update files set path = path || ' (' || id || ')' where file_source_id = ${sourceId}
      and deleted_at is not null and path in (select value ->> 'path' from json_each(${files}))`,
    sql`update files set path = m.value ->> 'path', name = m.value ->> 'name'
      from json_each(${files}) m where files.id = m.value ->> 'id' and deleted_at is null`,
    pendSql(
      sql`${ours} cross join rags r on r.file_source_id = f.file_source_id`,
      raw("f.deleted_at is null"),
      times,
    ),
    leaveSql(
      sql`${ours} cross join rag_files rf on rf.file_id = f.id
        cross join rags r on r.id = rf.rag_id where not ${HOLDS}`,
      times,
    ),
  ] as const;
  const counting = countingInRags(
    sourceId,
    files.map(({ id }) => id),
  );
  const [, , messages, removals] = await runBatch(db, steps, counting);
  return { messages, removals };
}
