import type { RagId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { number, oneOf, row, text } from "../columns.ts";
import { query, readRow, runBatch } from "../raw-sql.ts";
import { SCOPE_TYPES } from "../schema/rags.ts";

const SCOPE = row({ type: oneOf(SCOPE_TYPES), value: text });

/**
 * Which of these paths a RAG has as scopes, and a part of all its scopes in order, behind `after`.
 * Reads as many rows as it returns, whatever the number of scopes.
 */
export async function readScopes(
  db: Database,
  asked: { ragId: RagId; paths: string[]; after: IndexScope | null; limit: number },
): Promise<{ among: Set<string>; listed: IndexScope[] }> {
  const { ragId, paths, after, limit } = asked;
  const [among, listed] = await runBatch(db, [
    query(
      SCOPE,
      `select s.type, s.value from json_each(?2) wanted cross join rag_scopes s
       on s.rag_id = ?1 and s.type = 'path' and s.value = wanted.value`,
      ragId,
      paths,
    ),
    query(
      SCOPE,
      `select type, value from rag_scopes where rag_id = ?1 and (type, value) > (?2, ?3)
       order by type, value limit ?4`,
      ragId,
      after?.type ?? "",
      after?.value ?? "",
      limit,
    ),
  ]);
  return { among: new Set(among.map(({ value }) => value)), listed };
}

const COUNTED = row({ scopes: number });

/** The number of a RAG's scopes; counting stops at `max`. */
export async function countScopes(db: Database, ragId: RagId, max: number): Promise<number> {
  const counted = await readRow(
    db,
    COUNTED,
    `select count(*) as scopes from (select 1 from rag_scopes where rag_id = ?1 limit ?2)`,
    ragId,
    max,
  );
  return counted?.scopes ?? 0;
}
