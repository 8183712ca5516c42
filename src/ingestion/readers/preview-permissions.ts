import type { FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { asId } from "../../core/ids.ts";
import { SECOND_MS } from "../../core/time.ts";
import { MAX_PROBLEMS, NOBODY, readAccess, UNNAMED } from "../../db/files/reader-store.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { audienceOf, defaultReadersOf, namedReaders } from "../../sources/audiences.ts";
import { readerStore } from "../../sources/reader-store.ts";

/** A preview lists for so long; of a larger source, it covers the beginning. */
const LISTED_FOR_MS = 20 * SECOND_MS;

/**
 * Tells what permissions would do: the files, how many of them nobody could read, and why. Where they
 * are on, or files are pushed, it covers what is recorded; else the source is listed, and
 * nothing is stored. `defaultReaders`: those to try.
 * @throws SourceFailure
 */
export async function previewPermissions(
  services: Services,
  fileSource: FileSource,
  { defaultReaders }: { defaultReaders: string[] } = fileSource.source,
) {
  const source = { ...fileSource.source, defaultReaders };
  const readStored = async () => ({
    ...(await readAccess(services.db, source)),
    isComplete: true,
  });
  if (source.permissions === "on") return await readStored();
  // Under an id of its own: a scan may be under way, whose data it must not touch.
  const id = asId<typeof source.id>(`preview-${source.id}`);
  const reader = await services.sourceReaders({ ...source, id, permissions: "on" });
  if (reader === null) return await readStored();
  const summary = { files: 0, nobody: 0, unreadable: 0, problems: [] as Problem[] };
  const signal = AbortSignal.timeout(LISTED_FOR_MS);
  let cursor: string | null = null;
  try {
    do {
      const page = await reader.list(cursor, signal);
      for (const file of page.files) await add(summary, source, file);
      cursor = page.next;
    } while (cursor !== null && !signal.aborted);
  } catch (thrown) {
    if (!signal.aborted || summary.files === 0) throw thrown;
  } finally {
    await readerStore(services.files, id).remove("");
  }
  return { ...summary, isComplete: cursor === null };
}

type Problem = { path: string; message: string };
type Preview = {
  files: number;
  nobody: number;
  unreadable: number;
  problems: Problem[];
};

async function add(preview: Preview, source: FileSource["source"], { path, readers }: ListedFile) {
  const audience = await audienceOf(readers ?? defaultReadersOf(source));
  preview.files += 1;
  if (namedReaders(audience, source.defaultReaders).length > 0) return;
  preview.nobody += 1;
  if (audience.unreadable !== null) preview.unreadable += 1;
  if (preview.problems.length === MAX_PROBLEMS) return;
  const reason = audience.readers.length === 0 ? NOBODY : UNNAMED;
  preview.problems.push({ path, message: audience.unreadable ?? reason });
}
