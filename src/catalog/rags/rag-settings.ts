import { invalid } from "../../core/errors.ts";
import type { Provider } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import { problemWithScope } from "./problem-with-scope.ts";
import { storedScope } from "./stored-scope.ts";

/** Tokens. */
export const CHUNK_SIZE_MIN = 16;
export const CHUNK_SIZE_MAX = 4_000;
export const DEFAULT_CHUNK_SIZE = 400;
const DEFAULT_CHUNK_OVERLAP = 60;

/** Of a RAG, however they came to it: each is asked of every file. */
export const SCOPES_MAX = 10_000;

export type ScopeMode = "global" | "scoped";

/** Overlap of chunks of this size when none is given; tokens. */
export const defaultOverlap = (chunkSize: number) =>
  Math.min(DEFAULT_CHUNK_OVERLAP, Math.floor(chunkSize / 2));

/** @throws QuarryError `invalid` when more than half of each chunk would be repeated. */
export function checkChunking(chunkSize: number, chunkOverlap: number): void {
  if (chunkOverlap * 2 > chunkSize) throw invalid("chunkOverlap must be at most half of chunkSize");
}

/** The scopes without repetitions. @throws QuarryError `invalid` that names each wrong one. */
export function checkedScopes(
  provider: Provider,
  scopeMode: ScopeMode,
  scopes: IndexScope[],
): IndexScope[] {
  if (scopeMode === "global" && scopes.length > 0) {
    throw invalid("scopes must be empty when scopeMode is global");
  }
  const problems = scopes.flatMap((scope, at) => {
    const problem = problemWithScope(provider, scope);
    return problem === null ? [] : [`scopes[${at}].value ${problem}`];
  });
  if (problems.length > 0) throw invalid(problems.join("; "));
  const stored = scopes.map(storedScope);
  const unique = new Map(stored.map((scope) => [`${scope.type} ${scope.value}`, scope]));
  return [...unique.values()];
}
