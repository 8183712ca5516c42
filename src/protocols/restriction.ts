import type { FileCondition } from "../ports/file-condition.ts";
import type { Restriction } from "../ports/rag-index.ts";

/**
 * A condition as a restriction in its cheapest form. One that holds for every file restricts
 * nothing, and one of folders alone names them: of these two the vector index knows, while any
 * other condition makes the index objects look through all eligible chunks.
 */
export function restrictionBy(condition: FileCondition | undefined): Restriction {
  if (condition === undefined) return { named: null, metadata: [] };
  const simple = simplified(condition);
  if (isEverything(simple)) return { named: null, metadata: [] };
  const folders = foldersIn(simple);
  if (folders !== null) return { named: { files: [], folders }, metadata: [] };
  return { named: null, metadata: [], condition: simple };
}

const isEverything = (condition: FileCondition) => "all" in condition && condition.all.length === 0;

/** Without parts that hold for every file, and without a bracket around one part alone. */
function simplified(condition: FileCondition): FileCondition {
  if ("all" in condition) {
    const all = condition.all.map(simplified).filter((one) => !isEverything(one));
    return all.length === 1 ? (all[0] ?? condition) : { all };
  }
  if ("any" in condition) {
    const any = condition.any.map(simplified);
    const everything = any.find(isEverything);
    if (everything !== undefined) return everything;
    return any.length === 1 ? (any[0] ?? condition) : { any };
  }
  return condition;
}

/** Null: it is of something else than folders, one of which is to be the file's. */
function foldersIn(condition: FileCondition): string[] | null {
  if ("folder" in condition) return [condition.folder];
  if (!("any" in condition)) return null;
  const lists = condition.any.map(foldersIn);
  return lists.includes(null) ? null : lists.flatMap((list) => list ?? []);
}
