import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";

import { findSession } from "../../../src/access/sessions/find-session.ts";
import { signIn } from "../../../src/access/sessions/sign-in.ts";
import {
  clearThrottle,
  throttleSignIn,
  throttleCode,
} from "../../../src/access/sessions/throttle-sign-in.ts";
import { confirmEnrolment, pendingTotp } from "../../../src/access/totp/change-totp.ts";
import { createUser } from "../../../src/access/users/change-user.ts";
import { parseConfig } from "../../../src/config.ts";
import { jsonLog } from "../../../src/core/log.ts";
import { findSignIn } from "../../../src/db/access/user-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";

const FIRST = { email: "first@example.com", password: "from the secrets" };

const lines: string[] = [];
const services = (variables: Record<string, string> = {}) => ({
  config: parseConfig({
    ENVIRONMENT: "development",
    PANEL_ADMIN_EMAIL: "First@Example.com",
    PANEL_ADMIN_PASSWORD: FIRST.password,
    ...variables,
  }),
  db: openDatabase(env.DB),
  now: () => Date.now(),
  log: jsonLog((_level, line) => lines.push(line)),
  runInBackground: (work: Promise<unknown>) => void work,
  askIssuer: async () => await Promise.reject(new Error("there is no provider")),
});

const signInWith = async (
  credentials: typeof FIRST & { code?: string },
  variables?: Record<string, string>,
) => await signIn(services(variables), { ...credentials, address: "", userAgent: "" });

const insertTotp = env.DB.prepare(
  "insert into user_totp (user_id, sealed_secret, created_at, confirmed_at) values (?, '', 0, 1)",
);

beforeEach(async () => {
  await env.DB.prepare("delete from users").run();
});

test("while there is no user, only the secrets sign in and make an administrator", async () => {
  await expect(signInWith({ ...FIRST, password: "other" })).rejects.toThrow("Unauthorized");
  await expect(signInWith({ ...FIRST, email: "x@y" })).rejects.toThrow("Unauthorized");
  const { session } = await signInWith(FIRST);
  expect(session).toMatchObject({ email: FIRST.email, role: "admin" });
});

test("of three first sign-ins at once all are the same one user", async () => {
  const all = await Promise.all(Array.from({ length: 3 }, async () => await signInWith(FIRST)));
  expect(new Set(all.map(({ session }) => session.userId)).size).toBe(1);
  const count = await env.DB.prepare("select count(*) as n from users").first<{ n: number }>();
  expect(count?.n).toBe(1);
});

test("without secrets nobody gets in", async () => {
  const none = { PANEL_ADMIN_EMAIL: "", PANEL_ADMIN_PASSWORD: "" };
  await expect(signInWith(FIRST, none)).rejects.toThrow("Unauthorized");
});

test("once there is a user, changed secrets change nothing", async () => {
  await signInWith(FIRST);
  const changed = { PANEL_ADMIN_PASSWORD: "a new secret" };
  await expect(signInWith({ ...FIRST, password: "a new secret" }, changed)).rejects.toThrow(
    "Unauthorized",
  );
  expect((await signInWith(FIRST, changed)).session.email).toBe(FIRST.email);

  const environment = { PANEL_ADMIN_EMAIL: "late@example.com" };
  await expect(signInWith({ ...FIRST, email: "late@example.com" }, environment)).rejects.toThrow(
    "Unauthorized",
  );
});

test("PANEL_ADMIN_RESET takes the password from the secrets and ends what is open", async () => {
  const before = await signInWith(FIRST);
  const reset = { PANEL_ADMIN_RESET: "true", PANEL_ADMIN_PASSWORD: "reset password" };
  await expect(signInWith(FIRST, reset)).rejects.toThrow("Unauthorized");
  const after = await signInWith({ ...FIRST, password: "reset password" }, reset);
  expect(after.session).toEqual(before.session);
  const cookie = (secret: string) => `other=1; quarry_session=${secret}`;
  expect(await findSession(services(), cookie(before.secret), false)).toBeNull();
  expect(await findSession(services(), cookie(after.secret), false)).toEqual(after.session);

  // A second sign-in under the flag leaves the first one's session alone.
  await signInWith({ ...FIRST, password: "reset password" }, reset);
  expect(await findSession(services(), cookie(after.secret), false)).toEqual(after.session);
  await expect(signInWith(FIRST)).rejects.toThrow("Unauthorized");
});

test("PANEL_ADMIN_RESET to a new password removes the second factor, once", async () => {
  const { session } = await signInWith(FIRST);
  await insertTotp.bind(session.userId).run();
  await expect(signInWith(FIRST)).rejects.toThrow("A code is required");
  const same = { PANEL_ADMIN_RESET: "true" };
  await expect(signInWith(FIRST, same)).rejects.toThrow("A code is required");
  const reset = { ...same, PANEL_ADMIN_PASSWORD: "another new password" };
  await expect(signInWith({ ...FIRST, password: "other" }, reset)).rejects.toThrow("Unauthorized");
  await expect(signInWith(FIRST)).rejects.toThrow("A code is required");
  const renewed = { ...FIRST, password: "another new password" };
  expect((await signInWith(renewed, reset)).session.hasTotp).toBe(false);

  await insertTotp.bind(session.userId).run();
  await expect(signInWith(renewed, reset)).rejects.toThrow("A code is required");
  await expect(signInWith({ ...renewed, code: "123456" }, reset)).rejects.toThrow(
    "an ENCRYPTION_KEY that is not set any more",
  );
  expect((await signInWith(FIRST, same)).session.email).toBe(FIRST.email);
});

test("in production a commonly used PANEL_ADMIN_PASSWORD makes no administrator", async () => {
  const common = "1qaz2wsx3edc";
  const production = {
    ENVIRONMENT: "production",
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    PANEL_ADMIN_PASSWORD: common,
  };
  const message = "PANEL_ADMIN_PASSWORD is one of the commonly used";
  await expect(signInWith({ ...FIRST, password: common }, production)).rejects.toThrow(message);

  // Nor does it take anybody's second factor.
  const { session } = await signInWith(FIRST);
  await insertTotp.bind(session.userId).run();
  const reset = { ...production, PANEL_ADMIN_RESET: "true" };
  await expect(signInWith({ ...FIRST, password: common }, reset)).rejects.toThrow(message);
  await expect(signInWith(FIRST)).rejects.toThrow("A code is required");
});

test("codes have a wait of their own, and only an open session makes an address known", async () => {
  const now = Date.now();
  const context = { ...services(), now: () => now };
  const address = "192.0.2.5";
  const at = { ...FIRST, address, userAgent: "" };
  const { session } = await signIn(context, at);
  await insertTotp.bind(session.userId).run();
  for (let guess = 0; guess < 10; guess++) await throttleCode(context, FIRST.email);
  await expect(signIn(context, { ...at, code: "000000" })).rejects.toThrow("Too many requests");

  const { user } = await findSignIn(context.db, FIRST.email);
  const stranger = { email: FIRST.email, user, address: "192.0.2.6" };
  const tries = Array.from({ length: 12 }, async () => await throttleSignIn(context, stranger));
  expect((await Promise.allSettled(tries)).at(-1)).toMatchObject({ status: "rejected" });
  await throttleSignIn(context, { ...stranger, address });
  // Other people may share that address: they guess no more often than anybody else.
  const near = Array.from({ length: 12 }, () => throttleSignIn(context, { ...stranger, address }));
  expect((await Promise.allSettled(near)).at(-1)).toMatchObject({ status: "rejected" });
  await clearThrottle(context, { email: FIRST.email, address });
  await throttleSignIn(context, { ...stranger, address });
  await Promise.allSettled(Array.from({ length: 12 }, () => throttleSignIn(context, stranger)));
  await env.DB.prepare("update sessions set last_seen_at = 0").run();
  await expect(throttleSignIn(context, { ...stranger, address })).rejects.toThrow(
    "Too many requests",
  );
  await env.DB.prepare("delete from sign_in_tries").run();
});

test("an enrolment whose key was lost is begun again", async () => {
  const { session } = await signInWith(FIRST);
  await env.DB.prepare(
    "insert into user_totp (user_id, sealed_secret, created_at) values (?, '', 0)",
  )
    .bind(session.userId)
    .run();
  expect(await pendingTotp(services(), session)).toBeNull();
  const input = { userId: session.userId, sessionHash: "", code: "000000" };
  await expect(confirmEnrolment(services(), input)).rejects.toThrow("not set any more");
});

test("PANEL_ADMIN_RESET brings back an administrator who was demoted or removed", async () => {
  const otherUser = {
    email: "other@example.com",
    password: "long enough now",
    role: "admin" as const,
  };
  await createUser(services(), otherUser);
  await createUser(services(), { ...FIRST, password: "some password", role: "member" });
  const reset = { PANEL_ADMIN_RESET: "true" };
  expect((await signInWith(FIRST, reset)).session.role).toBe("admin");
  await env.DB.prepare("delete from users where email = ?").bind(FIRST.email).run();
  expect((await signInWith(FIRST, reset)).session.role).toBe("admin");
  expect((await signInWith(otherUser, reset)).session.email).toBe(otherUser.email);
});

test("passwords, session secrets and their hashes stay out of the log", async () => {
  lines.length = 0;
  const { secret } = await signInWith(FIRST);
  await expect(signInWith({ ...FIRST, password: "hunter2 typed" })).rejects.toThrow("Unauthorized");
  const log = lines.join("\n");
  expect(log).toContain("signed in");
  for (const word of [secret, FIRST.password, "hunter2 typed", "scrypt"]) {
    expect(log).not.toContain(word);
  }
});
