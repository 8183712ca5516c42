import { conflict, invalid, unprocessable } from "../../core/errors.ts";
import { insertScope } from "../../db/catalog/rag-scope-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { applyScopes } from "./apply-scopes.ts";
import { problemWithScope } from "./check-scope.ts";
import { queueScan } from "../file-sources/queue-scan.ts";

/**
 * Adds a scope, indexes what the source lists there and has the source scanned.
 * @throws QuarryError `invalid` (form of the value); `unprocessable` (global RAG); `conflict`.
 */
export async function addScope(
  services: Services,
  { rag, scope }: { rag: RagRecord; scope: IndexScope },
): Promise<void> {
  checkScopeOf(rag, scope);
  if (!(await insertScope(services.db, rag.id, scope, services.now()))) {
    throw conflict("Scope already exists");
  }
  await applyScopes(services, rag.id);
  await queueScan(services, rag.fileSource.id);
}

/** @throws QuarryError `invalid` or `unprocessable`, as adding and removing share them. */
export function checkScopeOf(rag: RagRecord, scope: IndexScope): void {
  const problem = problemWithScope(rag.fileSource.provider, scope);
  if (problem !== null) throw invalid(`value ${problem}`);
  if (rag.scopeMode === "global") throw unprocessable("RAG is in global scope mode");
}
