import { coarserFolders } from "../core/folders.ts";
import { trimEnd } from "../core/trim.ts";
import type { Restriction, RestrictionPlan } from "../ports/rag-index.ts";
import type { VectorFilter } from "../ports/vector-index.ts";

/** Folders that moved files may still be found under; one question holds about so many. */
const FOLDERS_ELSEWHERE_MAX = 100;

/**
 * What the vector index filters by; null: by nothing. It knows folders alone: any other restriction
 * is not expressible, and the index objects scan. Files that moved are also asked for where they
 * were; hydration drops what else lies there.
 */
export function vectorFilterOf(
  { named, metadata }: Restriction,
  plans: RestrictionPlan[],
): VectorFilter | null | "not expressible" {
  const filtered = plans.filter((plan) => plan.kind === "filtered");
  if (filtered.length === 0) return null;
  if (named === null || named.files.length > 0 || metadata.length > 0) return "not expressible";
  const asked = named.folders.map((folder) => trimEnd(folder, "/"));
  const left = coarserFolders(
    filtered.flatMap(({ elsewhere }) => elsewhere.folders),
    FOLDERS_ELSEWHERE_MAX,
  );
  const folders = [...new Set([...asked, ...left])];
  if (folders.includes("")) return null;
  return { fileIds: filtered.flatMap(({ elsewhere }) => elsewhere.fileIds), folders };
}
