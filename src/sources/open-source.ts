import type { FileSourceId } from "../core/ids.ts";
import { filesAfter, findKnownFiles, type KnownRow } from "../db/scans/listing-store.ts";
import type { Database } from "../db/sql.ts";
import type {
  KnownFiles,
  ListedFile,
  SourceReader,
  SourceSettings,
} from "../ports/source-reader.ts";
import type { Services } from "../services.ts";
import type { FetchClient } from "./guarded-fetch.ts";
import { readerStore } from "./reader-store.ts";
import { manifestOf } from "./registry.ts";
import { openConfig } from "./source-secrets.ts";

type Network = Pick<Services, "config" | "privateNetwork">;
type SourceServices = Network & Pick<Services, "db" | "files" | "now">;

/** Null for one that only receives what is pushed. @throws SourceFailure `denied` */
export async function openSource(
  { config, db, files, now, privateNetwork }: SourceServices,
  source: SourceSettings,
): Promise<SourceReader | null> {
  const { open } = manifestOf(source);
  if (open === null) return null;
  return await open(await openConfig(config, source), {
    outgoing: outgoingOf({ config, privateNetwork }),
    store: readerStore(files, source.id),
    known: knownFilesOf(db, source.id),
    now,
    bucket: files,
    readsPermissions: source.permissions === "on",
  });
}

/**
 * The platform's fetch: a started service has another one for private addresses. Called as a method
 * of anything else, fetch refuses.
 */
export function outgoingOf({ config, privateNetwork }: Network): FetchClient {
  const { ALLOW_PRIVATE_URLS: allowPrivate } = config;
  const network = (allowPrivate && privateNetwork) || globalThis;
  return { fetch: async (url, request) => await network.fetch(url, request), allowPrivate };
}

/** Looks up a source's files in D1 for its reader. */
function knownFilesOf(db: Database, sourceId: FileSourceId): KnownFiles {
  const find = async (files: { path: string; externalId: string | null }[]) => {
    const rows = await findKnownFiles(db, sourceId, files);
    return rows.filter(({ deletedAt }) => deletedAt === null).map(listedFileOf);
  };
  return {
    byPath: async (paths) => await find(paths.map((path) => ({ path, externalId: null }))),
    // No file has the empty path.
    byExternalId: async (ids) => await find(ids.map((externalId) => ({ path: "", externalId }))),
    async all(after, limit) {
      return (await filesAfter(db, sourceId, { after, limit })).map(listedFileOf);
    },
    async pushed(after, limit) {
      return (await filesAfter(db, sourceId, { after, limit, isPushed: true })).map(listedFileOf);
    },
  };
}

function listedFileOf({ id: _id, deletedAt: _deletedAt, ...file }: KnownRow): ListedFile {
  return file;
}
