import { invalid } from "../core/errors.ts";
import type { RagId } from "../core/ids.ts";
import { findRagIds } from "../db/rag-store.ts";
import type { Services } from "../services.ts";

/** Ids of these RAGs. @throws QuarryError `invalid` that names every unknown identifier. */
export async function resolveRags(
  { db }: Pick<Services, "db">,
  identifiers: string[],
): Promise<RagId[]> {
  if (identifiers.length === 0) return [];
  const known = await findRagIds(db, identifiers);
  const names = new Set(known.map(({ identifier }) => identifier));
  const missing = identifiers.filter((identifier) => !names.has(identifier));
  if (missing.length > 0) throw invalid(`rags: there is no ${missing.join(", ")}`);
  return known.map(({ id }) => id);
}
