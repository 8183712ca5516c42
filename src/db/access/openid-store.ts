import type { UserId } from "../../core/ids.ts";
import { DAY_MS } from "../../core/time.ts";
import { textList } from "../schema/columns.ts";
import { openidProvider, signInSecrets, userIdentities, users } from "../schema/index.ts";
import { columnsOf, flag, pick, select, json, values, UPDATED, type Row } from "../select.ts";
import { execute, hasRows, readRow, readValue, runBatch, sql, type Database } from "../sql.ts";
import { UNSEEN_MS } from "./grant-store.ts";

const PROVIDER_ID = "panel";

const PROVIDER = select({
  ...pick(columnsOf(openidProvider), "settings", "sealedSecret", "updatedAt"),
  /** Whether an administrator has signed in with it. */
  hasAdmin: flag(`exists (select 1 from user_identities i join users u on u.id = i.user_id
      where u.role = 'admin' and i.issuer = settings ->> 'issuer')`),
});
export type ProviderRow = Row<typeof PROVIDER>;

export const findProvider = (db: Database) =>
  readRow(db)`select ${PROVIDER} from openid_provider where id = ${PROVIDER_ID}`;

export async function saveProvider(
  db: Database,
  row: Pick<ProviderRow, "settings" | "sealedSecret">,
): Promise<void> {
  await runBatch(db, [
    sql`insert into openid_provider ${values(openidProvider, { id: PROVIDER_ID, ...row })}
      on conflict (id) do update
      set settings = excluded.settings, sealed_secret = excluded.sealed_secret`,
    sql`update openid_provider set ${UPDATED} where id = ${PROVIDER_ID}`,
  ]);
}

const i = columnsOf(userIdentities, "i");
/** A user and the account of the provider that signs them in. */
const PERSON = select({
  ...pick(columnsOf(users, "u"), "id", "email", "role"),
  ...pick(i, "issuer", "subject"),
});
export const findByIdentity = (db: Database, issuer: string, subject: string) =>
  readRow(db)`select ${PERSON} from user_identities i join users u on u.id = i.user_id
    where i.issuer = ${issuer} and i.subject = ${subject}`;

export const findIdentityOf = (db: Database, userId: UserId) =>
  readRow(db)`select ${PERSON} from user_identities i join users u on u.id = i.user_id
    where i.user_id = ${userId}`;

/** The groups of a person as a reader; none for who has not signed in with OpenID Connect. */
export const groupsOfUser = async (db: Database, userId: UserId): Promise<string[]> =>
  (await readValue(db, json(textList, "groups"))`
    select groups from user_identities where user_id = ${userId}`) ?? [];

type Identity = { userId: UserId; issuer: string; subject: string; groups: string[]; now: number };

/** Joins a user to an account; false when either is already joined to another of this provider. */
export const joinIdentity = (db: Database, { now, ...identity }: Identity) =>
  hasRows(db)`insert into user_identities
    ${values(userIdentities, { ...identity, createdAt: now, checkedAt: now })}
    on conflict (user_id) do update
    set issuer = excluded.issuer, subject = excluded.subject, groups = excluded.groups,
      checked_at = excluded.checked_at
    where issuer <> excluded.issuer or subject = excluded.subject returning 1`;

/** With the time between two renewals, a day: then nobody who was disabled has programs. */
const REFUSED_MS = DAY_MS / 2;
export const RENEWED_AFTER_MS = DAY_MS - REFUSED_MS;

/** The provider has refused to renew a person's session, which may only have grown too old. */
export const markRefused = (db: Database, userId: UserId, now: number) =>
  execute(db)`update user_identities
    set checked_at = min(checked_at, ${now - UNSEEN_MS + REFUSED_MS}) where user_id = ${userId}`;

/** Adds what may be used once. */
export const insertSecret = (db: Database, hash: string, expiresAt: number) =>
  execute(db)`insert into sign_in_secrets
    ${values(signInSecrets, { hash, userId: null, expiresAt })}`;

/** Uses up the `state` of a sign-in; false when it is unknown, was used or has expired. */
export const redeemState = (db: Database, hash: string, now: number) =>
  hasRows(db)`delete from sign_in_secrets
    where hash = ${hash} and user_id is null and expires_at > ${now} returning 1`;

const LINKED = select(pick(columnsOf(users, "u"), "id", "email", "role"));

/** The administrator whom a link signs in; `uses`: uses the link up. Null: it is not good. */
export async function findAdminOfLink(db: Database, hash: string, now: number, uses: boolean) {
  const [[linked = null], used] = await runBatch(db, [
    sql`select ${LINKED} from sign_in_secrets l join users u on u.id = l.user_id
      where l.hash = ${hash} and l.expires_at > ${now} and u.role = 'admin'`,
    sql`delete from sign_in_secrets
      where hash = ${hash} and user_id is not null and ${uses} returning 1`,
  ]);
  return uses && used.length === 0 ? null : linked;
}
