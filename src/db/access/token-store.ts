import { and, asc, count, eq, isNull, sql } from "drizzle-orm";

import { notFound } from "../../core/errors.ts";
import type { AgentId, InferenceId, RagId, TokenId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { among, type Slice } from "../page.ts";
import {
  agents,
  inferences,
  rags,
  tokenAgents,
  tokenInferences,
  tokenRags,
  tokens,
} from "../schema/index.ts";

type TokenRow = typeof tokens.$inferSelect;

/** Ids that a token names, besides its "all" flags. */
export type TokenGrants = { agents: AgentId[]; inferences: InferenceId[]; rags: RagId[] };

/** Writes a token and the ids it names in one step; ids removed meanwhile are left out. */
export async function insertToken(db: Database, row: TokenRow, grants: TokenGrants) {
  const tokenId = sql<TokenId>`${row.id}`.as("token_id");
  await db.batch([
    db.insert(tokens).values(row),
    db
      .insert(tokenAgents)
      .select(
        db
          .select({ tokenId, agentId: agents.id })
          .from(agents)
          .where(among(agents.id, grants.agents)),
      ),
    db
      .insert(tokenInferences)
      .select(
        db
          .select({ tokenId, inferenceId: inferences.id })
          .from(inferences)
          .where(among(inferences.id, grants.inferences)),
      ),
    db
      .insert(tokenRags)
      .select(db.select({ tokenId, ragId: rags.id }).from(rags).where(among(rags.id, grants.rags))),
  ]);
}

/** Each group: identifiers, `["*"]` for all (future ones included), or empty for none. */
type TokenGroups = { agents: string[]; inferences: string[]; rags: string[] };

export type AccessToken = TokenGroups & {
  id: TokenId;
  name: string;
  /** Whether the token may add and remove scopes. */
  manageScopes: boolean;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
};

/** In a group: all resources of the kind. */
export const ALL = "*";

/** A page of the access tokens in order of name; removed resources are not listed. */
export async function listTokens(
  db: Database,
  { offset, limit }: Slice,
): Promise<{ data: AccessToken[]; total: number }> {
  const [rows, [counted]] = await db.batch([
    db.select().from(tokens).orderBy(asc(tokens.name), asc(tokens.id)).limit(limit).offset(offset),
    db.select({ total: count() }).from(tokens),
  ]);
  const ids = rows.map(({ id }) => id);
  const [ofAgents, ofInferences, ofRags] = await db.batch([
    db
      .select({ tokenId: tokenAgents.tokenId, identifier: agents.identifier })
      .from(tokenAgents)
      .innerJoin(agents, eq(agents.id, tokenAgents.agentId))
      .where(among(tokenAgents.tokenId, ids))
      .orderBy(asc(agents.identifier)),
    db
      .select({ tokenId: tokenInferences.tokenId, identifier: inferences.identifier })
      .from(tokenInferences)
      .innerJoin(inferences, eq(inferences.id, tokenInferences.inferenceId))
      .where(among(tokenInferences.tokenId, ids))
      .orderBy(asc(inferences.identifier)),
    db
      .select({ tokenId: tokenRags.tokenId, identifier: rags.identifier })
      .from(tokenRags)
      .innerJoin(rags, and(eq(rags.id, tokenRags.ragId), isNull(rags.removedAt)))
      .where(among(tokenRags.tokenId, ids))
      .orderBy(asc(rags.identifier)),
  ]);
  const data = rows.map(({ hash: _hidden, allAgents, allInferences, allRags, ...token }) => {
    const named = (all: { tokenId: TokenId; identifier: string }[]) =>
      all.filter(({ tokenId }) => tokenId === token.id).map(({ identifier }) => identifier);
    return Object.assign(token, {
      agents: allAgents ? [ALL] : named(ofAgents),
      inferences: allInferences ? [ALL] : named(ofInferences),
      rags: allRags ? [ALL] : named(ofRags),
    });
  });
  return { data, total: counted?.total ?? 0 };
}

/** The token stops working at once. @throws QuarryError `not-found`. */
export async function removeToken(db: Database, id: TokenId): Promise<void> {
  const deleted = await db.delete(tokens).where(eq(tokens.id, id)).returning({ id: tokens.id });
  if (deleted.length === 0) throw notFound();
}
