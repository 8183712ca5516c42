import { deleteScope } from "../../db/catalog/rag-scope-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { checkedScopeOf } from "./add-scope.ts";
import { enforceScopes } from "./enforce-scopes.ts";

/**
 * Removes a scope; files that only it contained disappear from search at once. Removing an unknown
 * scope succeeds, and updates the index again in case an earlier try was interrupted.
 * @throws QuarryError `invalid` (form of the value); `unprocessable` (global RAG).
 */
export async function removeScope(
  services: Services,
  { rag, scope }: { rag: RagRecord; scope: IndexScope },
): Promise<void> {
  const stored = checkedScopeOf(rag, scope);
  const kind = (await deleteScope(services.db, rag.id, stored)) ? "removed" : "absent";
  await enforceScopes(services, rag.id, { kind, scope: stored });
}
