import type { FileSourceId } from "../../core/ids.ts";
import { manifestRows } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";

const PAGE_SIZE = 5_000;

export type ManifestPage = {
  files: { path: string; size: number; sha256: string | null }[];
  /** For the next page; null at the end. */
  cursor: string | null;
};

/** A source's files, up to 5,000 per page in order of path. `cursor` null: from the start. */
export async function manifestPage(
  services: Pick<Services, "db">,
  { source, cursor }: { source: { id: FileSourceId }; cursor: string | null },
): Promise<ManifestPage> {
  const rows = await manifestRows(services.db, source.id, cursor ?? "", PAGE_SIZE + 1);
  const files = rows.slice(0, PAGE_SIZE);
  const last = rows.length > PAGE_SIZE ? files.at(-1) : undefined;
  return { files, cursor: last?.path ?? null };
}
