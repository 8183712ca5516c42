import { deleteInference } from "../../db/catalog/inference-store.ts";
import type { InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** Removes an inference, its links and the grants of tokens to it. Usage figures stay. */
export async function removeInference(
  { db }: Pick<Services, "db">,
  input: { inference: InferenceRecord },
): Promise<void> {
  await deleteInference(db, input.inference.id);
}
