import { listSourceRows } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";
import type { FileSource } from "./find-file-source.ts";

/** A page of the file sources in order of identifier. */
export async function listFileSources(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: FileSource[]; total: number }> {
  return await listSourceRows(db, input.offset, input.limit);
}
