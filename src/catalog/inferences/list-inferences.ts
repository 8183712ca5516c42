import { listInferenceRecords } from "../../db/catalog/inference-store.ts";
import type { InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** A page of the inferences in order of identifier, with their linked RAGs. */
export async function listInferences(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: InferenceRecord[]; total: number }> {
  return await listInferenceRecords(db, input);
}
