import type { FileSourceId } from "../core/ids.ts";
import type { Database } from "../db/client.ts";
import { knownFiles, type KnownRow } from "../db/scans/listing-store.ts";
import { filesAfter } from "../db/scans/files-after.ts";
import type { KnownFiles, ListedFile } from "../ports/source-reader.ts";

/** What D1 knows of a source's files, as a reader may ask for it. */
export function knownFilesOf(db: Database, sourceId: FileSourceId): KnownFiles {
  const find = async (named: { path: string; externalId: string | null }[]) => {
    const rows = await knownFiles(db, sourceId, named);
    return rows.filter(({ deletedAt }) => deletedAt === null).map(listedFrom);
  };
  return {
    byPath: async (paths) => await find(paths.map((path) => ({ path, externalId: null }))),
    // No file has the empty path.
    byExternalId: async (ids) => await find(ids.map((externalId) => ({ path: "", externalId }))),
    async all(after, limit) {
      return (await filesAfter(db, sourceId, { after, limit })).map(listedFrom);
    },
    async pushed(after, limit) {
      return (await filesAfter(db, sourceId, { after, limit, isPushed: true })).map(listedFrom);
    },
  };
}

function listedFrom({ id: _id, deletedAt: _deletedAt, ...file }: KnownRow): ListedFile {
  return file;
}
