import type { FileSourceId } from "../../core/ids.ts";
import { listFilesOfSource, type SourceFile } from "../../db/files/source-file-list.ts";
import type { FileStatus } from "../../db/files/public-files.ts";
import type { Services } from "../../services.ts";
import { DEFAULT } from "../readers/record-readers.ts";
import { manifestRows } from "../../db/files/file-store.ts";

export type ListSourceFilesInput = {
  source: { id: FileSourceId };
  /** From 1. */
  page: number;
  /** 1 to 100. */
  limit: number;
  status?: FileStatus | undefined;
  /** A folder, with or without its trailing slash, or a file. */
  path?: string | undefined;
  /** A part of the path, whatever the case of its letters from A to Z. */
  contains?: string | undefined;
};

/** Files of a source in order of path; each with its least advanced status over all RAGs. */
export async function listSourceFiles(
  services: Pick<Services, "db">,
  { source, page, limit, status, path, contains }: ListSourceFilesInput,
): Promise<{ data: SourceFile[]; total: number }> {
  return await listFilesOfSource(services.db, {
    sourceId: source.id,
    status: status ?? null,
    path: path === undefined || path === "" ? null : path.replace(/\/$/, ""),
    contains: contains ?? "",
    limit,
    offset: (page - 1) * limit,
  });
}

const PAGE_SIZE = 5_000;

export type ManifestPage = {
  /** `readers`: as a push told them; null: none did. */
  files: { path: string; size: number; sha256: string | null; readers: string[] | null }[];
  /** For the next page; null at the end. */
  cursor: string | null;
};

/** A source's files, up to 5,000 per page in order of path. `cursor` null: from the start. */
export async function manifestPage(
  services: Pick<Services, "db">,
  { source, cursor }: { source: { id: FileSourceId }; cursor: string | null },
): Promise<ManifestPage> {
  const rows = await manifestRows(services.db, source.id, cursor ?? "", PAGE_SIZE + 1);
  const files = rows.slice(0, PAGE_SIZE).map(({ audience, ...file }) => {
    const isTold = audience?.readers.every(({ from }) => from !== DEFAULT) === true;
    const readers = isTold ? audience.readers.map(({ principal }) => principal) : null;
    return { path: file.path, size: file.size, sha256: file.sha256, readers };
  });
  const last = rows.length > PAGE_SIZE ? files.at(-1) : undefined;
  return { files, cursor: last?.path ?? null };
}
