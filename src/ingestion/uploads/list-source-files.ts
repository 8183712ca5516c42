import type { FileSourceId } from "../../core/ids.ts";
import { listFilesOfSource } from "../../db/files/source-file-list.ts";
import type { FileSlice, SourceFile } from "../../db/files/source-file-list.ts";
import type { Services } from "../../services.ts";
import { DEFAULT } from "../readers/record-readers.ts";
import { manifestRows } from "../../db/files/file-store.ts";

type Filter = Pick<FileSlice, "status" | "path" | "contains">;

/**
 * Files of a source in order of path; each with its least advanced status over all RAGs. `page`
 * from 1; `path`: a folder, with or without its trailing slash, or a file.
 */
export async function listSourceFiles(
  services: Pick<Services, "db">,
  {
    source,
    page,
    limit,
    status,
    path,
    contains,
  }: {
    source: { id: FileSourceId };
    page: number;
    limit: number;
  } & { [Name in keyof Filter]?: Filter[Name] | undefined },
): Promise<{ data: SourceFile[]; total: number }> {
  return await listFilesOfSource(services.db, {
    sourceId: source.id,
    status: status ?? null,
    path: path === "" ? null : (path?.replace(/\/$/, "") ?? null),
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
