import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { z } from "zod";

import type { AgentId, InferenceId, KeyId, RagId, TokenId, UserId } from "../../core/ids.ts";
import { jsonColumn, jsonObject, links, owner, ownerOrNull, updatedAt } from "./columns.ts";
import { textList, type LinkEnd } from "./columns.ts";
import { agents, inferences } from "./models.ts";
import { rags } from "./rags.ts";

export const ROLES = ["admin", "member"] as const;

export const users = sqliteTable(
  "users",
  {
    id: text().$type<UserId>().primaryKey(),
    email: text().notNull(),
    /** `scrypt$N$r$p$salt$hash`, salt and hash in base64; empty: the user has no password. */
    passwordHash: text().notNull(),
    role: text({ enum: ROLES }).notNull(),
    createdAt: integer().notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("users_email").on(table.email)],
);

/** Second factors: a secret shared with the user's authenticator app. */
export const userTotp = sqliteTable("user_totp", {
  userId: owner<UserId>(() => users.id).primaryKey(),
  /** Base32, sealed: `keyId.iv.ciphertext`. */
  sealedSecret: text().notNull(),
  createdAt: integer().notNull(),
  /** When its first code was entered; null: not confirmed, so it is not required yet. */
  confirmedAt: integer(),
  /** The time step of the last code that was used: no code is accepted twice. */
  lastStep: integer().notNull().default(0),
});

/** Unused recovery codes; each can replace a code once. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    userId: owner<UserId>(() => users.id),
    /** SHA-256, hex. */
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.hash] })],
);

export const sessions = sqliteTable(
  "sessions",
  {
    /** SHA-256 of the cookie's value, hex. */
    hash: text().primaryKey(),
    userId: owner<UserId>(() => users.id),
    /** Identifies the session to those who may end it; grants no access. */
    id: text().notNull(),
    /** The client that opened it, in a form that its user recognises. */
    address: text().notNull().default(""),
    userAgent: text().notNull().default(""),
    createdAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    /** Until when the provider's answer counts; null: the session was opened with a password. */
    vouchedUntil: integer(),
    /** To ask the provider again: `keyId.iv.ciphertext`; null: the person has to go there. */
    sealedRefreshToken: text(),
    /** Until when a request asks the provider, so that no other one does. */
    checkingUntil: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("sessions_id").on(table.id),
    index("sessions_user").on(table.userId),
    index("sessions_last_seen").on(table.lastSeenAt),
  ],
);

/** Keys of model providers, and servers of models, that were set in the panel. */
export const providerKeys = sqliteTable("provider_keys", {
  /** `openai`; of a server what the names of its models begin with, `local` or `local-…`. */
  name: text().primaryKey(),
  /** `keyId.iv.ciphertext`; of a server without a key that of an empty text. */
  sealedKey: text().notNull(),
  setAt: integer().notNull(),
  /** The address of a server; null for a key of a provider. */
  baseUrl: text(),
});

/** Failed attempts at an account, whether it exists or not; deleted a day after the last. */
export const signInTries = sqliteTable(
  "sign_in_tries",
  {
    /** SHA-256 of the e-mail address, hex. */
    account: text().primaryKey(),
    tries: integer().notNull(),
    claimedUntil: integer().notNull(),
    lastAt: integer().notNull(),
  },
  (table) => [index("sign_in_tries_last").on(table.lastAt)],
);

export const ACTOR_KINDS = ["user", "key", "token", "none"] as const;

/** A field that was changed; without values where they are secret or long. */
export const fieldChange = z.object({
  field: z.string(),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

/** Changes and sign-ins, failed ones too, for 90 days. No foreign keys: actors may be deleted. */
export const auditEvents = sqliteTable(
  "audit_events",
  {
    id: text().primaryKey(),
    at: integer().notNull(),
    actorKind: text({ enum: ACTOR_KINDS }).notNull(),
    actorId: text(),
    /** The actor's name at that time: an e-mail address, or the name of a key or token. */
    actorName: text(),
    action: text().notNull(),
    target: text(),
    /** Names of the changed fields, as a JSON list. */
    fields: jsonColumn(textList).notNull(),
    /** Old and new values; entries of earlier versions have names alone. */
    changes: jsonColumn(z.array(fieldChange)).notNull().default([]),
    /** Status of the answer. */
    status: integer().notNull(),
    address: text().notNull(),
    requestId: text().notNull(),
    /** How often it happened: files pushed to one source within an hour are one event. */
    count: integer().notNull().default(1),
  },
  (table) => [
    index("audit_events_at").on(table.at, table.id),
    index("audit_events_actor").on(table.actorId, table.at, table.id),
    index("audit_events_action").on(table.action, table.at, table.id),
    index("audit_events_target").on(table.target, table.at, table.id),
  ],
);

/** Automation keys of the panel API (`qrya_…`). */
export const keys = sqliteTable(
  "keys",
  {
    id: text().$type<KeyId>().primaryKey(),
    name: text().notNull(),
    hash: text().notNull(),
    role: text({ enum: ROLES }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(),
    /** Who created it, or the key that created it; deleted together with the user. */
    createdBy: owner<UserId>(() => users.id),
  },
  (table) => [
    uniqueIndex("keys_hash").on(table.hash),
    index("keys_created_by").on(table.createdBy),
    index("keys_name").on(table.name, table.id),
  ],
);

/** Access tokens of the public API (`qry_…`). Only the SHA-256 is stored. */
export const tokens = sqliteTable(
  "tokens",
  {
    id: text().$type<TokenId>().primaryKey(),
    name: text().notNull(),
    hash: text().notNull(),
    allAgents: integer({ mode: "boolean" }).notNull().default(false),
    allInferences: integer({ mode: "boolean" }).notNull().default(false),
    allRags: integer({ mode: "boolean" }).notNull().default(false),
    /** Whether it may add and remove scopes of the RAGs that it covers. */
    manageScopes: integer({ mode: "boolean" }).notNull().default(true),
    /** For whom it reads: `named` in each call, or the person of this address; null: nobody. */
    reader: text(),
    /** Groups of that person from the sign-in; those that sources list are added to them. */
    readerGroups: jsonColumn(textList).notNull().default([]),
    createdAt: integer().notNull(),
    expiresAt: integer(),
    lastUsedAt: integer(),
    /** The person who connected a program. The token is removed together with the user. */
    grantedBy: ownerOrNull<UserId>(() => users.id),
    /** As the program names itself to the authorization server. */
    clientId: text(),
    /** Where its codes are sent. */
    clientHost: text(),
    /** Until when a call refreshes its tokens, so that no other one does; in the past: when one did. */
    refreshedUntil: integer().notNull().default(0),
    /** Request and answer of the last refresh, of use for a minute: `keyId.iv.ciphertext`. */
    lastRefresh: text(),
  },
  (table) => [
    uniqueIndex("tokens_hash").on(table.hash),
    index("tokens_name").on(table.name, table.id),
    index("tokens_granted_by")
      .on(table.grantedBy, table.id)
      .where(sql`granted_by is not null`),
  ],
);

/** Things of one kind that a token may use, in addition to its "all" flag. */
const token: LinkEnd = ["token", () => tokens.id];
export const tokenAgents = links<TokenId, AgentId>(token, ["agent", () => agents.id]);
export const tokenInferences = links<TokenId, InferenceId>(token, [
  "inference",
  () => inferences.id,
]);
export const tokenRags = links<TokenId, RagId>(token, ["rag", () => rags.id]);

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
    /** As the provider wrote them at the last check; the person's groups as a reader. */
    groups: jsonColumn(textList).notNull(),
    createdAt: integer().notNull(),
    /** When the provider last let the person in; a refusal sets it back (`markRefused`). */
    checkedAt: integer().notNull(),
  },
  (table) => [uniqueIndex("user_identities_subject").on(table.issuer, table.subject)],
);

/**
 * Secrets that may be used once, until they expire: a sign-in that was begun, an administrator's
 * link.
 */
export const signInSecrets = sqliteTable(
  "sign_in_secrets",
  {
    /** SHA-256, hex. */
    hash: text().primaryKey(),
    /** Whom a link signs in; null: the `state` of a sign-in with OpenID Connect. */
    userId: ownerOrNull<UserId>(() => users.id),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index("sign_in_secrets_expiry").on(table.expiresAt),
    index("sign_in_secrets_user").on(table.userId),
  ],
);

/** Links with which people join, each once. Kept a month after their end, to say why one fails. */
export const invitations = sqliteTable("invitations", {
  id: text().primaryKey(),
  /** SHA-256 of the link's code, hex. */
  hash: text().notNull().unique(),
  email: text().notNull(),
  role: text({ enum: ROLES }).notNull(),
  createdAt: integer().notNull(),
  expiresAt: integer().notNull(),
  /** When its address became a user's, ms; set by a trigger. */
  usedAt: integer(),
  /** By an administrator, or by a later one to the same address, ms. */
  withdrawnAt: integer(),
});
