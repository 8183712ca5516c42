import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { UserId } from "../../core/ids.ts";
import { users } from "./access.ts";
import { jsonColumn, jsonObject, textList } from "./json-column.ts";
import { owner, updatedAt } from "./shared-columns.ts";

/** The OpenID provider of the panel's sign-in: at most one row, whose id is `PROVIDER_ID`. */
export const openidProvider = sqliteTable("openid_provider", {
  id: text().primaryKey(),
  /** As `src/access/openid/provider-settings.ts` describes them, without the secret. */
  settings: jsonColumn(jsonObject).notNull(),
  /** The client secret: `keyId.iv.ciphertext`. */
  sealedSecret: text().notNull(),
  updatedAt: updatedAt(),
});

/** Users who have signed in with OpenID Connect: the account of the provider, one a user. */
export const userIdentities = sqliteTable(
  "user_identities",
  {
    userId: owner<UserId>(() => users.id).primaryKey(),
    issuer: text().notNull(),
    /** `sub`: the account's only stable name. */
    subject: text().notNull(),
    /**
     * The groups that the provider named at the last check, as it writes them: the groups of this
     * person as a reader of files with permissions.
     */
    groups: jsonColumn(textList).notNull(),
    createdAt: integer().notNull(),
    /** When the provider last let the person in; a refusal sets it back (`markRefused`). */
    checkedAt: integer().notNull(),
  },
  (table) => [uniqueIndex("user_identities_subject").on(table.issuer, table.subject)],
);

/** What may be used once, until it expires: a sign-in that was begun, an administrator's link. */
export const signInSecrets = sqliteTable(
  "sign_in_secrets",
  {
    /** SHA-256, hex. */
    hash: text().primaryKey(),
    /** Whom a link signs in; null: the `state` of a sign-in with OpenID Connect. */
    userId: text()
      .$type<UserId>()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index("sign_in_secrets_expiry").on(table.expiresAt),
    index("sign_in_secrets_user").on(table.userId),
  ],
);
