import { readValues, type Database } from "../sql.ts";
import { text, computed } from "../select.ts";
import type { RagRecord } from "../records.ts";

/** Those of the paths, at most `limit`, that no file of these RAGs has. */
export const absentFiles = (
  db: Database,
  rags: readonly Pick<RagRecord, "id" | "generation">[],
  { paths, limit }: { paths: readonly string[]; limit: number },
) =>
  readValues(db, computed(text, "p.value"))`select p.value from json_each(${paths}) p
    where not exists (
      select 1 from json_each(${rags.map(({ id, generation }) => ({ id, generation }))}) r
      join rag_files x on x.rag_id = r.value ->> 'id' and x.generation = r.value ->> 'generation'
        and x.status in ('indexed', 'processing', 'pending', 'error') and x.path = p.value)
    limit ${limit}`;
