import { invalidFields } from "../../core/errors.ts";
import type { RagId } from "../../core/ids.ts";
import { findRagIds } from "../../db/catalog/rag-writes.ts";
import type { Services } from "../../services.ts";
import { chatModelProblem } from "../models/check-model.ts";

/** The references of an inference or an agent; absent ones are not checked. */
type Named = { model?: string | undefined; rags?: string[] | undefined };

/**
 * Ids of the RAGs; null when none are given.
 * @throws QuarryError `invalid` that names an unavailable model and every unknown RAG.
 */
export async function linkModelAndRags(
  services: Pick<Services, "models" | "db">,
  { model, rags }: Named,
): Promise<RagId[] | null> {
  const wrongModel = model === undefined ? null : chatModelProblem(services, model);
  const known = rags === undefined || rags.length === 0 ? [] : await findRagIds(services.db, rags);
  const names = new Set(known.map(({ identifier }) => identifier));
  const missing = (rags ?? []).filter((identifier) => !names.has(identifier));
  const problems = [
    ...(wrongModel === null ? [] : [wrongModel]),
    ...(missing.length === 0
      ? []
      : [{ field: "rags", problem: `: there is no ${missing.join(", ")}` }]),
  ];
  if (problems.length > 0) throw invalidFields(problems);
  return rags === undefined ? null : known.map(({ id }) => id);
}
