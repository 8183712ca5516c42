import { notFound } from "../../core/errors.ts";
import { findRagRecord } from "../../db/catalog/rag-writes.ts";
import type { RagRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** By id or identifier. @throws QuarryError `not-found`. */
export async function findRag({ db }: Pick<Services, "db">, input: { key: string }) {
  const found: RagRecord | null = await findRagRecord(db, input.key);
  if (found === null) throw notFound();
  return found;
}
