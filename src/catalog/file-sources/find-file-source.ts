import { requireFound } from "../../core/errors.ts";
import { findSourceRow, type SourceWithScan } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";

export type FileSource = SourceWithScan;

/** By id or identifier. @throws QuarryError `not-found`. */
export async function findFileSource(
  { db }: Pick<Services, "db">,
  input: { key: string },
): Promise<FileSource> {
  return requireFound(await findSourceRow(db, input.key));
}
