import { notFound } from "../../core/errors.ts";
import { findInferenceRecord } from "../../db/catalog/runner-store.ts";
import type { InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** By id or identifier. @throws QuarryError `not-found`. */
export async function findInference({ db }: Pick<Services, "db">, input: { key: string }) {
  const found: InferenceRecord | null = await findInferenceRecord(db, input.key);
  if (found === null) throw notFound();
  return found;
}
