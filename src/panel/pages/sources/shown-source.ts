import { findFileSource } from "../../../catalog/file-sources/find-file-source.ts";
import { requireFound } from "../../../core/errors.ts";
import { filesOfSources, ragsOfSources } from "../../../db/catalog/source-counts.ts";
import type { RagOfSource } from "../../../db/catalog/source-counts.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import type { FileDetail } from "../../../db/files/file-store.ts";
import type { FileCounts } from "../../../db/records.ts";
import type { Database } from "../../../db/sql.ts";
import type { PageContext } from "../page-env.ts";

const NO_FILES: FileCounts = { pending: 0, processing: 0, indexed: 0, error: 0, deleted: 0 };

/** A source with its RAGs, and its files by status: each once, however many RAGs index it. */
export type IndexedSource = SourceWithScan & { rags: RagOfSource[]; files: FileCounts };

/** A source with what its pages show of it. */
export type ShownSource = IndexedSource & { path: string };

/** Sources with the share of them that their RAGs index. */
export async function indexedSources(db: Database, sources: SourceWithScan[]) {
  const rags = await ragsOfSources(
    db,
    sources.map(({ source }) => source.id),
  );
  const files = await filesOfSources(db, rags);
  const bySource = Map.groupBy(rags, ({ sourceId }) => sourceId);
  return sources.map((row) => {
    const { id } = row.source;
    return { ...row, rags: bySource.get(id) ?? [], files: files.get(id) ?? NO_FILES };
  });
}

/** A file of a source; `here`: the address of its page. */
export type ShownFile = { shown: ShownSource; file: FileDetail; here: string };

export const SOURCES = { name: "Sources", href: "/panel/sources" };

/** The places above a page of one source. */
export const trailTo = ({ source, path }: ShownSource) => [
  SOURCES,
  { name: source.name, href: path },
];

/** The source that the address names. @throws QuarryError `not-found`. */
export async function sourceOf(context: PageContext): Promise<ShownSource> {
  const services = context.get("services");
  const row = await findFileSource(services, { key: context.req.param("id") ?? "" });
  const [indexed] = await indexedSources(services.db, [row]);
  return { ...requireFound(indexed), path: `/panel/sources/${row.source.identifier}` };
}
