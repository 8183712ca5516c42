import { z } from "@hono/zod-openapi";

import { newKey } from "../keys.ts";
import { role } from "../request/fields.ts";
import { credentials, newPassword } from "../session.ts";
import { newToken } from "../tokens.ts";
import { confirmation, proof } from "../totp.ts";
import { newUser, userPatch } from "../users.ts";
import { described, listOf, paging, time } from "./described.ts";

const SessionUser = z.object({ id: z.string(), email: z.string(), role }).openapi("SessionUser");
const Itself = z.union([
  z.object({
    user: SessionUser,
    totp: z.object({ enrolled: z.boolean(), required: z.boolean() }),
  }),
  z.object({ user: z.null(), key: z.object({ id: z.string(), role }) }),
]);
const User = z.object({ id: z.string(), email: z.string(), role, createdAt: time }).openapi("User");
const OpenSession = z
  .object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    createdAt: time,
    lastSeenAt: time,
    current: z.boolean(),
  })
  .openapi("OpenSession");
const keyFields = {
  id: z.string(),
  name: z.string(),
  role,
  createdAt: time,
  createdBy: z.string(),
  expiresAt: time.nullable(),
};
const Key = z.object({ ...keyFields, createdByEmail: z.string() }).openapi("Key");
const NewKey = z.object({ ...keyFields, key: z.string() }).openapi("NewKey");
const tokenFields = {
  id: z.string(),
  name: z.string(),
  agents: z.array(z.string()),
  inferences: z.array(z.string()),
  rags: z.array(z.string()),
  manageScopes: z.boolean(),
  createdAt: time,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
};
const Token = z.object(tokenFields).openapi("Token");
const NewToken = z.object({ ...tokenFields, token: z.string() }).openapi("NewToken");

const sessionReference = [
  described("session", "post", "/session", {
    summary: "Sign in",
    description: "The answer sets the session's cookie.",
    body: credentials,
    answers: { 200: { schema: z.object({ user: SessionUser }) } },
    errors: [422],
  }),
  described("session", "get", "/session", {
    summary: "Who one is",
    description:
      "The user or key that the request is made with, and whether a second factor is set.",
    answers: { 200: { schema: Itself } },
  }),
  described("session", "delete", "/session", {
    summary: "Sign out",
    description: "The session ends and its cookie is removed.",
    answers: { 204: null },
  }),
  described("session", "patch", "/session/password", {
    summary: "Change one's own password",
    description: "One's other sessions end.",
    body: newPassword,
    answers: { 200: { schema: z.object({ user: SessionUser }) } },
  }),
  described("session", "post", "/session/totp", {
    summary: "Begin a second factor",
    description:
      "Show `uri` as a QR code or type `secret` into the app; nothing is asked for until it is confirmed.",
    answers: { 201: { schema: z.object({ secret: z.string(), uri: z.string() }) } },
    errors: [409, 422],
  }),
  described("session", "post", "/session/totp/confirm", {
    summary: "Confirm a second factor",
    description: "The recovery codes are shown this once.",
    body: confirmation,
    answers: { 200: { schema: z.object({ recoveryCodes: z.array(z.string()) }) } },
    errors: [409, 422],
  }),
  described("session", "delete", "/session/totp", {
    summary: "Remove one's second factor",
    description: "With a code or with the password.",
    body: proof,
    answers: { 204: null },
    errors: [404, 409, 422],
  }),
];

const userReference = [
  described("users", "get", "/sessions", {
    summary: "Open sessions",
    description: "One's own; for administrators everybody's.",
    query: paging,
    answers: { 200: listOf(OpenSession) },
  }),
  described("users", "delete", "/sessions/{id}", {
    summary: "End a session",
    description: "Whoever is signed in there must sign in again.",
    answers: { 204: null },
  }),
  described("users", "get", "/users", {
    summary: "Users",
    description: "Everybody who may sign in.",
    query: paging,
    answers: { 200: listOf(User) },
  }),
  described("users", "post", "/users", {
    summary: "Add a user",
    description: "The password has at least 12 characters and is none of the commonly used.",
    body: newUser,
    answers: { 201: { schema: User } },
    errors: [409],
  }),
  described("users", "patch", "/users/{id}", {
    summary: "Change a user",
    description: "A new password or role ends their sessions.",
    body: userPatch,
    answers: { 200: { schema: User } },
    errors: [409],
  }),
  described("users", "delete", "/users/{id}", {
    summary: "Remove a user",
    description: "Their sessions and keys end.",
    answers: { 204: null },
    errors: [409],
  }),
  described("users", "delete", "/users/{id}/totp", {
    summary: "Remove a user's second factor",
    description: "For who has lost the app and the recovery codes.",
    answers: { 204: null },
  }),
  described("users", "get", "/keys", {
    summary: "Automation keys",
    description: "With who made each; a key ends with its maker.",
    query: paging,
    answers: { 200: listOf(Key) },
  }),
  described("users", "post", "/keys", {
    summary: "Make a key",
    description: "The key is shown this once.",
    body: newKey(0),
    answers: { 201: { schema: NewKey } },
  }),
  described("users", "delete", "/keys/{id}", {
    summary: "End a key",
    description: "It stops working at once.",
    answers: { 204: null },
  }),
];

const tokenReference = [
  described("tokens", "get", "/tokens", {
    summary: "Access tokens",
    description: "What each covers and when it was last used; never the token itself.",
    query: paging,
    answers: { 200: listOf(Token) },
  }),
  described("tokens", "post", "/tokens", {
    summary: "Make a token",
    description: "The token is shown this once. `*` alone covers all, those of later too.",
    body: newToken(0),
    answers: { 201: { schema: NewToken } },
    errors: [404],
  }),
  described("tokens", "delete", "/tokens/{id}", {
    summary: "End a token",
    description: "It stops working everywhere within five seconds.",
    answers: { 204: null },
  }),
];

export const accessReference = [...sessionReference, ...userReference, ...tokenReference];
