import { z } from "zod";

import { emailIn } from "../../access/users/user-input.ts";
import { asId, newId, type KeyId, type TokenId, type UserId } from "../../core/ids.ts";
import { ALL } from "../../db/access/token-store.ts";
import { readAccess, type NewAccess } from "../../db/archive/access-store.ts";
import { ROLES } from "../../db/schema/access.ts";
import type { ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import { checked, jsonIn } from "../../ingestion/archive/archive-file.ts";
import type { Services } from "../../services.ts";
import { all } from "../api/request/endpoint.ts";
import type { PlannedThing } from "./rename-things.ts";

export const ACCESS = "access.json";

const text = z.string().max(1_000);
const created = { createdAt: z.int().min(0) };
const credential = {
  ...created,
  name: text,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  expiresAt: z.int().nullable(),
};
const archivedAccess = z.object({
  users: z.array(
    z.object({
      ...created,
      role: z.enum(ROLES),
      email: text.refine((email) => emailIn(email) === email),
    }),
  ),
  keys: z.array(
    z.object({
      ...credential,
      id: text.transform((id) => asId<KeyId>(id)),
      role: z.enum(ROLES),
      createdBy: text,
    }),
  ),
  tokens: z.array(
    z.object({
      ...credential,
      id: text.transform((id) => asId<TokenId>(id)),
      manageScopes: z.boolean(),
      reader: text.nullable(),
      readerGroups: z.array(text),
      ...all(z.array(text), "rags", "inferences", "agents"),
    }),
  ),
});

/** Who may use the service; of tokens and keys what is stored of them, of people no secret. */
export const accessPart = async ({ db }: Pick<Services, "db">) => ({
  name: ACCESS,
  content: new TextEncoder().encode(JSON.stringify(archivedAccess.parse(await readAccess(db)))),
});

type Stored = { id: string; hash: string };

/**
 * The users, keys and tokens of an archive that are not here. `nameOf`: the name here of a thing of
 * the archive; undefined: it has none, and no token of it gets one.
 */
export async function planAccess(
  { db, now }: Pick<Services, "db" | "now">,
  archive: ArchiveReader,
  nameOf: (kind: string, identifier: string) => string | undefined,
): Promise<{ access: NewAccess; accessThings: PlannedThing[]; tokenIds: Set<string> }> {
  const bytes = await archive.bytes(ACCESS);
  const none = { users: [], keys: [], tokens: [] };
  const archived = bytes === null ? none : checked(archivedAccess, jsonIn(bytes), ACCESS);
  const existing = await readAccess(db);
  const accessThings: PlannedThing[] = [];
  const keep = (thing: string, isHere: boolean) => {
    accessThings.push({ thing, outcome: isHere ? "skipped" : "made" });
    return !isHere;
  };
  const isSame = (a: Stored) => (b: Stored) => a.id === b.id || a.hash === b.hash;
  const users = archived.users.filter(({ email }) =>
    keep(
      `users.${email}`,
      existing.users.some((user) => user.email === email),
    ),
  );
  const keys = archived.keys.filter((key) =>
    keep(`keys.${key.name}`, existing.keys.some(isSame(key))),
  );
  const tokens = archived.tokens.filter((token) =>
    keep(`tokens.${token.name}`, existing.tokens.some(isSame(token))),
  );
  const namesIn = (kind: string, identifiers: string[]) =>
    identifiers.flatMap((identifier) => nameOf(kind, identifier) ?? []);
  const access = {
    users: users.map((user) => Object.assign(user, { id: newId<UserId>(now()) })),
    keys,
    tokens: tokens.map(({ rags, inferences, agents, ...token }) => ({
      ...token,
      allRags: rags.includes(ALL),
      allInferences: inferences.includes(ALL),
      allAgents: agents.includes(ALL),
      rags: namesIn("rags", rags),
      inferences: namesIn("inferences", inferences),
      agents: namesIn("agents", agents),
    })),
  };
  const tokenIds = new Set([...existing.tokens, ...tokens].map(({ id }) => id));
  return { access, accessThings, tokenIds };
}
