import type { Database } from "../client.ts";
import { row, text } from "../columns.ts";
import { readRows } from "../raw-sql.ts";
import type { RagRecord } from "../records.ts";

/** Those of the paths, at most `limit`, that no file of these RAGs has. */
export async function absentFiles(
  db: Database,
  rags: readonly Pick<RagRecord, "id" | "generation">[],
  { paths, limit }: { paths: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await readRows(
    db,
    row({ path: text }),
    `select p.value as path from json_each(?1) p where not exists (
       select 1 from json_each(?2) r join rag_files x
         on x.rag_id = r.value ->> 'id' and x.generation = r.value ->> 'generation'
        and x.status in ('indexed', 'processing', 'pending', 'error') and x.path = p.value)
     limit ?3`,
    JSON.stringify(paths),
    JSON.stringify(rags.map(({ id, generation }) => ({ id, generation }))),
    limit,
  );
  return rows.map(({ path }) => path);
}
