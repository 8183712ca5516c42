import type { FileSourceId } from "../../core/ids.ts";
import { readValues, runBatch, sql, type Database } from "../sql.ts";
import { audiences, files, fileSources } from "../schema/index.ts";
import { columnsOf, optional, pick, select, UPDATED } from "../select.ts";

const FILE = select({
  ...pick(columnsOf(files, "f"), "id", "path", "version", "mimeType", "metadata", "modifiedAt"),
  size: columnsOf(files, "f").size,
  readers: optional(columnsOf(audiences, "a").readers),
});
const COPIED = select(pick(columnsOf(files, "c"), "path"));

/** `after`: files behind this path; empty or null: a round begins. */
type CopyPage = {
  source: { id: FileSourceId; createdAt: number };
  originalId: FileSourceId;
  after: string | null;
  limit: number;
};

/**
 * Files of the original that its copy lacks or has otherwise, in order, and, when a round begins,
 * paths of copied files that the original has deleted or moved since: all at one moment.
 */
export async function differencesOf(
  db: Database,
  { source: { id, createdAt }, originalId, after, limit }: CopyPage,
) {
  const [differing, copies] = await runBatch(db, [
    sql`select ${FILE} from files f left join audiences a on a.id = f.audience
      left join files c on c.file_source_id = ${id} and c.path = f.path and c.deleted_at is null
      where f.file_source_id = ${originalId} and f.path > ${after ?? ""} and f.deleted_at is null
        and (c.id is null or c.sha256 is not f.sha256 or c.mime_type <> f.mime_type
          or c.metadata <> f.metadata or c.modified_at <> f.modified_at
          or c.readers_revision < f.readers_revision)
      order by f.path limit ${limit}`,
    sql`select ${COPIED} from files c
      left join files f on f.file_source_id = ${originalId} and f.path = c.path
      where ${!after} and c.file_source_id = ${id} and c.deleted_at is null
        and (f.deleted_at >= ${createdAt} and f.sha256 = c.sha256 or f.id is null and exists (
          select 1 from files m where m.file_source_id = ${originalId} and m.size = c.size
            and m.sha256 = c.sha256 and m.modified_at = c.modified_at and m.deleted_at is null))
      limit ${limit}`,
  ]);
  return { files: differing, removals: copies.map(({ path }) => path) };
}

/** Copies that got no files since `before` (ms); they are held until `now`. */
export const takeStalledCopies = (db: Database, before: number, limit: number) =>
  readValues(db, columnsOf(fileSources).id)`update file_sources set ${UPDATED}
    where id in (select id from file_sources indexed by file_sources_copy
      where copy_of is not null and removed_at is null
      and updated_at < ${before} limit ${limit}) returning id`;
