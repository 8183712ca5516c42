import { conflict, invalidField, unprocessable } from "../../core/errors.ts";
import { insertScope, countScopeFiles, deleteScope } from "../../db/catalog/rag-scope-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { requestScan } from "../file-sources/request-scan.ts";
import { enforceScopes } from "./enforce-scopes.ts";
import { MAX_SCOPES } from "./rag-settings.ts";
import { problemWithScope, storedScope } from "./scope-values.ts";

/** Counting further would read one row per file. */
const FILES_COUNTED = 10_000;

/**
 * Adds a scope, indexes its known files and queues a scan of the source. Returns how many files
 * of the source it contains at present: "10000+" above that; null where the call may not read all.
 * @throws QuarryError `invalid` (form of the value, or too many); `unprocessable` (global RAG);
 * `conflict`.
 */
export async function addScope(
  services: Services,
  { rag, scope: input }: { rag: RagRecord; scope: IndexScope },
): Promise<{ files: string | null }> {
  const scope = checkScope(rag, input);
  const bound = { now: services.now(), max: MAX_SCOPES };
  const outcome = await insertScope(services.db, rag.id, scope, bound);
  if (outcome === "full") throw invalidField("scopes", `must have at most ${MAX_SCOPES} items`);
  if (outcome === "none") throw conflict("Scope already exists");
  await enforceScopes(services, rag.id, { kind: "added", scope });
  await requestScan(services, { sourceId: rag.fileSource.id });
  if (rag.readersSince !== null && rag.readBy !== "everything") return { files: null };
  const files = await countScopeFiles(services.db, rag.fileSource.id, scope, FILES_COUNTED + 1);
  return { files: files > FILES_COUNTED ? `${FILES_COUNTED}+` : String(files) };
}

/** The scope as it is stored. @throws QuarryError `invalid` or `unprocessable`. */
function checkScope(rag: RagRecord, scope: IndexScope): IndexScope {
  const problem = problemWithScope(rag.fileSource.provider, scope);
  if (problem !== null) throw invalidField("value", problem);
  if (rag.scopeMode === "global") throw unprocessable("RAG is in global scope mode");
  return storedScope(scope);
}

/**
 * Removes a scope; files that only it contained disappear from search at once. Removing an unknown
 * scope succeeds, and updates the index again in case an earlier try was interrupted.
 * @throws QuarryError `invalid` (form of the value); `unprocessable` (global RAG).
 */
export async function removeScope(
  services: Services,
  { rag, scope }: { rag: RagRecord; scope: IndexScope },
): Promise<void> {
  const checked = checkScope(rag, scope);
  const kind = (await deleteScope(services.db, rag.id, checked)) ? "removed" : "absent";
  await enforceScopes(services, rag.id, { kind, scope: checked });
}
