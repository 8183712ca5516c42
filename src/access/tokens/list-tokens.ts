import { listTokenRows, type TokenWithNames } from "../../db/access/token-store.ts";
import type { Services } from "../../services.ts";
import type { AccessToken } from "./create-token.ts";

/** A page of the access tokens in order of name; removed resources are not listed. */
export async function listTokens(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: AccessToken[]; total: number }> {
  const { data, total } = await listTokenRows(db, input.offset, input.limit);
  return { data: data.map(shown), total };
}

function shown({ token, agents, inferences, rags }: TokenWithNames): AccessToken {
  return {
    id: token.id,
    name: token.name,
    manageScopes: token.manageScopes,
    createdAt: token.createdAt,
    expiresAt: token.expiresAt,
    lastUsedAt: token.lastUsedAt,
    agents: token.allAgents ? ["*"] : agents,
    inferences: token.allInferences ? ["*"] : inferences,
    rags: token.allRags ? ["*"] : rags,
  };
}
