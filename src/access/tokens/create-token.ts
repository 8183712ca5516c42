import { conflict, invalidFields } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { newId, type TokenId } from "../../core/ids.ts";
import { ALL, insertToken, type AccessToken, type TokenRow } from "../../db/access/token-store.ts";
import { findRagIds } from "../../db/catalog/rag-writes.ts";
import { agentRows, inferenceRows } from "../../db/catalog/runner-store.ts";
import type { Services } from "../../services.ts";
import { newToken } from "../credential-format.ts";
import type { NewToken } from "./token-settings.ts";

type TokenServices = Pick<Services, "db" | "now">;

/** `secret` is returned only here. @throws QuarryError `invalid` names unknown identifiers. */
export async function createToken(
  services: TokenServices,
  input: NewToken,
  id = newId<TokenId>(services.now()),
): Promise<{ token: AccessToken; secret: string }> {
  const secret = newToken();
  const hash = await sha256Hex(secret);
  const ofPanel = { hash, grantedBy: null, clientId: null, clientHost: null, onlyOpen: false };
  const token = await storeToken(services, input, { id, ...ofPanel });
  if (token === null) throw conflict("Its id is taken");
  return { token, secret };
}

type StoredToken = Pick<TokenRow, "id" | "hash" | "grantedBy" | "clientId" | "clientHost"> & {
  /** Whether it may cover only what is open to members. */
  onlyOpen: boolean;
};

/** Stores a token, or the token of a connected program; null: there is one with this id. */
export async function storeToken(
  { db, now }: TokenServices,
  input: NewToken,
  { onlyOpen, ...row }: StoredToken,
): Promise<AccessToken | null> {
  const [agents, inferences, rags] = await Promise.all([
    resolve(input.agents, (identifiers) => agentRows.findIds(db, identifiers, onlyOpen)),
    resolve(input.inferences, (identifiers) => inferenceRows.findIds(db, identifiers, onlyOpen)),
    resolve(input.rags, (identifiers) => findRagIds(db, identifiers, onlyOpen)),
  ]);
  const groups = { agents, inferences, rags };
  const problem = onlyOpen ? ": nothing is open to members that is called" : ": there is no";
  const unknown = Object.entries(groups).flatMap(([group, { missing }]) =>
    missing.map((identifier) => ({ field: group, problem: `${problem} ${identifier}` })),
  );
  if (unknown.length > 0) throw invalidFields(unknown);
  const { name, manageScopes, expiresAt, reader = null, readerGroups = [] } = input;
  const settings = { name, manageScopes, expiresAt, reader, readerGroups };
  const base = { ...settings, id: row.id, createdAt: now(), lastUsedAt: null };
  const all = { allAgents: agents.all, allInferences: inferences.all, allRags: rags.all };
  const grants = { agents: agents.ids, inferences: inferences.ids, rags: rags.ids };
  if (!(await insertToken(db, { ...base, ...row, ...all }, grants))) return null;
  const lists = { agents: agents.shown, inferences: inferences.shown, rags: rags.shown };
  return { ...base, ...lists, kind: row.grantedBy === null ? "token" : "program" };
}

type CoveredResource<Id> = { id: Id; identifier: string };

async function resolve<Id>(
  group: string[],
  find: (identifiers: string[]) => Promise<CoveredResource<Id>[]>,
) {
  const keys = [...new Set(group)].sort();
  const nothing = { ids: [] as Id[], missing: [] as string[] };
  if (keys.includes(ALL)) return { ...nothing, all: true, shown: [ALL] };
  const matches = keys.length === 0 ? [] : await find(keys);
  const names = new Set(matches.map(({ identifier }) => identifier));
  const missing = keys.filter((identifier) => !names.has(identifier));
  return { all: false, ids: matches.map(({ id }) => id), missing, shown: keys };
}
