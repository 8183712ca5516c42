import { invalidFields } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { newId, type TokenId } from "../../core/ids.ts";
import { findAgentIds, findInferenceIds } from "../../db/catalog/runner-store.ts";
import { findRagIds } from "../../db/catalog/rag-writes.ts";
import { ALL, insertToken, type AccessToken } from "../../db/access/token-store.ts";
import type { Services } from "../../services.ts";
import { newToken } from "../credential-format.ts";
import type { NewToken } from "./token-settings.ts";

/**
 * Creates an access token. Its resources are stored by id. `secret` is returned only here.
 * @throws QuarryError `invalid` that names every unknown identifier.
 */
export async function createToken(
  { db, now }: Pick<Services, "db" | "now">,
  input: NewToken,
): Promise<{ token: AccessToken; secret: string }> {
  const [agents, inferences, rags] = await Promise.all([
    resolve(input.agents, (identifiers) => findAgentIds(db, identifiers)),
    resolve(input.inferences, (identifiers) => findInferenceIds(db, identifiers)),
    resolve(input.rags, (identifiers) => findRagIds(db, identifiers)),
  ]);
  const groups = { agents, inferences, rags };
  const unknown = Object.entries(groups).flatMap(([group, { missing }]) =>
    missing.map((identifier) => ({ field: group, problem: `: there is no ${identifier}` })),
  );
  if (unknown.length > 0) throw invalidFields(unknown);
  const createdAt = now();
  const { name, manageScopes, expiresAt, reader = null, readerGroups = [] } = input;
  const id = newId<TokenId>(createdAt);
  const shown = { id, name, manageScopes, createdAt, expiresAt, lastUsedAt: null };
  const base = { ...shown, reader, readerGroups };
  const secret = newToken();
  const hash = await sha256Hex(secret);
  const all = { allAgents: agents.all, allInferences: inferences.all, allRags: rags.all };
  const grants = { agents: agents.ids, inferences: inferences.ids, rags: rags.ids };
  await insertToken(db, { ...base, hash, ...all }, grants);
  const named = { agents: agents.shown, inferences: inferences.shown, rags: rags.shown };
  return { token: { ...base, ...named }, secret };
}

type Known<Id> = { id: Id; identifier: string };

async function resolve<Id>(group: string[], find: (identifiers: string[]) => Promise<Known<Id>[]>) {
  const shown = [...new Set(group)].sort();
  const nothing = { ids: [] as Id[], missing: [] as string[] };
  if (shown.includes(ALL)) return { ...nothing, all: true, shown: [ALL] };
  const known = shown.length === 0 ? [] : await find(shown);
  const names = new Set(known.map(({ identifier }) => identifier));
  const missing = shown.filter((identifier) => !names.has(identifier));
  return { all: false, ids: known.map(({ id }) => id), missing, shown };
}
