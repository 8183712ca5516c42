/** The database. Its statements are written by `sql.ts`. */
export type Database = { $client: D1Database };

/** The reads of one request; a `Database` can be used as one, too. */
export type Reads = { $client: Pick<D1Database, "prepare" | "batch"> };

export const openDatabase = (binding: D1Database): Database => ({ $client: binding });

/**
 * One request's reads, as a D1 session that starts at the primary: the first read, of the caller's
 * token or session, sees every revocation. Later reads may use a replica that has caught up with
 * that moment, so they see every change made before the request; without replication all go to the
 * primary. (https://developers.cloudflare.com/d1/best-practices/read-replication/)
 */
export function openReads(binding: D1Database): Reads {
  let session: D1DatabaseSession | null = null;
  return {
    get $client() {
      session ??= binding.withSession("first-primary");
      return session;
    },
  };
}
