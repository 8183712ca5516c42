import { z } from "zod";

import { emailIn } from "../../access/users/user-input.ts";
import { newId } from "../../core/ids.ts";
import { fieldsOfKind } from "../../core/input/fields-of-kind.ts";
import { ALL } from "../../db/access/token-store.ts";
import { ACCESS_KINDS, readAccess, type Access } from "../../db/archive/access-store.ts";
import { ROLES } from "../../db/schema/access.ts";
import { parsePart, jsonIn, type ArchiveReader } from "../../ingestion/archive/archive-file.ts";
import { archivedTime } from "../../ingestion/archive/archive-format.ts";
import type { Services } from "../../services.ts";
import type { ImportWish, PlannedThing } from "./rename-things.ts";

const ACCESS = "access.json";

const text = z.string().max(1_000);
const isEmail = (email: string) => emailIn(email) === email;
const role = { role: z.enum(ROLES), createdAt: archivedTime };
const credential = {
  ...fieldsOfKind(text, "id", "name"),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: archivedTime,
  expiresAt: archivedTime.nullable(),
};
const shape = {
  manageScopes: z.boolean(),
  reader: text.nullable(),
  ...fieldsOfKind(z.array(text), "readerGroups", "rags", "inferences", "agents"),
};
const archivedAccess = z.object({
  users: z.array(z.object({ ...role, email: text.refine(isEmail) })),
  keys: z.array(z.object({ ...credential, ...role, createdBy: text })),
  tokens: z.array(z.object({ ...credential, ...shape })),
});

/** Who may use the service; of tokens and keys what is stored of them, of people no secret. */
export const accessPart = async ({ db }: Pick<Services, "db">) => ({
  name: ACCESS,
  content: new TextEncoder().encode(JSON.stringify(archivedAccess.parse(await readAccess(db)))),
});

/** Users, keys and tokens of an archive that are not here, and what becomes of each. */
export async function planAccess(
  { db, now }: Pick<Services, "db" | "now">,
  archive: ArchiveReader,
  { withoutAccess }: Pick<ImportWish, "withoutAccess">,
) {
  const bytes = withoutAccess ? null : await archive.bytes(ACCESS);
  const access: Access = { users: [], keys: [], tokens: [] };
  if (bytes !== null) Object.assign(access, parsePart(archivedAccess, jsonIn(bytes), ACCESS));
  const existing: Access = await readAccess(db);
  const accessThings: PlannedThing[] = [];
  for (const kind of ACCESS_KINDS) {
    const keys = new Set(existing[kind].flatMap(({ id, hash, email }) => [id, hash, email]));
    keys.delete(undefined);
    access[kind] = access[kind].filter(({ id, hash, email, name }) => {
      const isHere = [id, hash, email].some((key) => keys.has(key));
      const thing = `${kind}.${String(email ?? name)}`;
      accessThings.push({ thing, outcome: isHere ? "skipped" : "made" });
      return !isHere;
    });
  }
  for (const user of access.users) user["id"] = newId(now());
  const tokenIds = new Set([...existing.tokens, ...access.tokens].map(({ id }) => id));
  return { access, accessThings, tokenIds };
}

/** Names what tokens cover as it is called here. `nameOf` undefined: the archive has no such thing. */
export function renameInTokens(
  { tokens }: Access,
  nameOf: (kind: string, name: string) => string | undefined,
): void {
  for (const token of tokens) {
    for (const kind of ["rags", "inferences", "agents"]) {
      const names = z.array(text).parse(token[kind]);
      token[kind] = names.flatMap((name) => (name === ALL ? ALL : (nameOf(kind, name) ?? [])));
    }
  }
}
