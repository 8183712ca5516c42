import type { FileSourceId } from "../../core/ids.ts";
import { listFilesOfSource } from "../../db/files/source-file-list.ts";
import type { FileStatus } from "../../db/files/public-files.ts";
import type { SourceFile } from "../../db/files/source-file-list.ts";
import type { Services } from "../../services.ts";

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
