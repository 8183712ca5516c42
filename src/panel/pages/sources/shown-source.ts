import { findFileSource } from "../../../catalog/file-sources/find-file-source.ts";
import { ragsOfSources, type RagOfSource } from "../../../db/catalog/source-counts.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import type { PageContext } from "../page-env.ts";

/** A source with what its pages show of it. */
export type ShownSource = SourceWithScan & { rags: RagOfSource[]; path: string };

/** The source that the address names. @throws QuarryError `not-found`. */
export async function sourceOf(context: PageContext): Promise<ShownSource> {
  const services = context.get("services");
  const found = await findFileSource(services, { key: context.req.param("id") ?? "" });
  const rags = await ragsOfSources(services.db, [found.source.id]);
  return { ...found, rags, path: `/panel/sources/${found.source.identifier}` };
}
