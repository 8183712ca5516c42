import type { FileSourceId } from "../../core/ids.ts";
import { DEFAULT } from "../../core/principals.ts";
import { manifestRows } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";

const PAGE_SIZE = 5_000;

/**
 * A source's files, up to 5,000 per page in order of path. `cursor` null: from the start, and the
 * end. `readers`: as a push named them; null: none did.
 */
export async function manifestPage(
  services: Pick<Services, "db">,
  { source, cursor }: { source: { id: FileSourceId }; cursor: string | null },
) {
  const rows = await manifestRows(services.db, source.id, cursor ?? "", PAGE_SIZE + 1);
  const files = rows.slice(0, PAGE_SIZE).map(({ audience, ...file }) => {
    const isTold = audience?.readers.every(({ from }) => from !== DEFAULT) === true;
    const readers = isTold ? audience.readers.map(({ principal }) => principal) : null;
    return { path: file.path, size: file.size, sha256: file.sha256, readers };
  });
  const last = rows.length > PAGE_SIZE ? files.at(-1) : undefined;
  return { files, cursor: last?.path ?? null };
}
