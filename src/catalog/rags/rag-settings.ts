import { invalidField, invalidFields } from "../../core/errors.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { problemWithScope } from "./problem-with-scope.ts";
import { storedScope } from "./stored-scope.ts";

/** Tokens. */
export const CHUNK_SIZE_MIN = 16;
export const CHUNK_SIZE_MAX = 4_000;
export const DEFAULT_CHUNK_SIZE = 400;
const DEFAULT_CHUNK_OVERLAP = 60;

/** Scopes of one RAG, however they were added: every file is checked against each of them. */
export const SCOPES_MAX = 10_000;

export type ScopeMode = "global" | "scoped";

/** Default overlap for chunks of this size; tokens. */
export const defaultOverlap = (chunkSize: number) =>
  Math.min(DEFAULT_CHUNK_OVERLAP, Math.floor(chunkSize / 2));

/** The overlap of a RAG with another chunk size: it is reduced with it. */
export const overlapFor = (rag: { chunkOverlap: number }, chunkSize: number) =>
  Math.min(rag.chunkOverlap, Math.floor(chunkSize / 2));

/** @throws QuarryError `invalid` when the overlap is more than half of a chunk. */
export function checkChunking(chunkSize: number, chunkOverlap: number): void {
  if (chunkOverlap * 2 > chunkSize)
    throw invalidField("chunkOverlap", "must be at most half of chunkSize");
}

/** The scopes without duplicates. @throws QuarryError `invalid` that names each invalid one. */
export function checkedScopes(
  provider: string,
  scopeMode: ScopeMode,
  scopes: IndexScope[],
): IndexScope[] {
  if (scopeMode === "global" && scopes.length > 0) {
    throw invalidField("scopes", "must be empty when scopeMode is global");
  }
  const problems = scopes.flatMap((scope, at) => {
    const problem = problemWithScope(provider, scope);
    return problem === null ? [] : [{ field: `scopes[${at}].value`, problem }];
  });
  if (problems.length > 0) throw invalidFields(problems);
  const stored = scopes.map(storedScope);
  const unique = new Map(stored.map((scope) => [`${scope.type} ${scope.value}`, scope]));
  return [...unique.values()];
}
