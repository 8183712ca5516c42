import { coarserFolders } from "../core/folders.ts";
import { trimEnd } from "../core/trim.ts";
import type { Restriction, RestrictionPlan } from "../ports/rag-index.ts";
import type { VectorFilter } from "../ports/vector-index.ts";

/** Limit of former folders of moved files in a filter; one query has room for about so many. */
const FOLDERS_ELSEWHERE_MAX = 100;

/**
 * The filter for the vector index; null: none. It supports folders only: any other restriction
 * cannot be expressed, and the index objects scan. Moved files are also searched in their former
 * folders; hydration drops the other files found there.
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
