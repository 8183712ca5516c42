import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { runOne, statement } from "../raw-sql.ts";

/** A web source and the hash of its secret; null for an unknown id and for another provider. */
export async function findWebSource(
  db: Database,
  id: string,
): Promise<{ id: FileSourceId; webhookSecretHash: string } | null> {
  const rows = await runOne<{ id: FileSourceId; webhookSecretHash: string }>(
    db,
    statement(
      `select id, webhook_secret_hash as webhookSecretHash from file_sources
       where id = ?1 and provider = 'web' and removed_at is null`,
      id,
    ),
  );
  return rows[0] ?? null;
}
