import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, row, text, type Row } from "../columns.ts";
import { firstRow, query } from "../raw-sql.ts";

const WEB_SOURCE = row({ id: id<FileSourceId>(), webhookSecretHash: text });

/** A web source and the hash of its secret; null for an unknown id and for another provider. */
export async function findWebSource(
  db: Database,
  sourceId: string,
): Promise<Row<typeof WEB_SOURCE> | null> {
  return await firstRow(
    db,
    query(
      WEB_SOURCE,
      `select id, webhook_secret_hash as webhookSecretHash from file_sources
       where id = ?1 and provider = 'web' and removed_at is null`,
      sourceId,
    ),
  );
}
