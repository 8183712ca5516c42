import { deleteScope } from "../../db/catalog/rag-scope-store.ts";
import type { RagRecord } from "../../db/records.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { checkedScopeOf } from "./add-scope.ts";
import { enforceScopes } from "./enforce-scopes.ts";

/**
 * Removes a scope, and from search at once what only it held. One that is not there is gone, as
 * asked; the index is told again all the same, in case an earlier try broke off.
 * @throws QuarryError `invalid` (form of the value); `unprocessable` (global RAG).
 */
export async function removeScope(
  services: Services,
  { rag, scope }: { rag: RagRecord; scope: IndexScope },
): Promise<void> {
  await deleteScope(services.db, rag.id, checkedScopeOf(rag, scope));
  await enforceScopes(services, rag.id);
}
