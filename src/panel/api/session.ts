import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import type { Session } from "../../access/sessions/find-session.ts";
import { expiredSessionCookie, sessionCookie } from "../../access/sessions/session-cookie.ts";
import { signIn } from "../../access/sessions/sign-in.ts";
import { signOut } from "../../access/sessions/sign-out.ts";
import { confirmation, credentials, proof } from "../../access/totp/totp-input.ts";
import { changeOwnPassword } from "../../access/users/change-own-password.ts";
import { emailIn, ownPassword, role } from "../../access/users/user-input.ts";
import { forbidden, orNotFound, QuarryError } from "../../core/errors.ts";
import { originOf } from "../../http/client-address.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { isHttps } from "../../http/base-url.ts";
import { Endpoints } from "./request/endpoint.ts";
import { enrolledOnly, noForeignPages, ownPagesOnly, ownSession } from "./request/guards.ts";
import { sessionHashOf, signedInOnly } from "./request/guards.ts";
import { beginTotp, confirmEnrolment } from "../../access/totp/enrol-totp.ts";
import { removeOwnTotp } from "../../access/totp/remove-totp.ts";
import type { PanelEnv } from "./request/read-request.ts";
import { providerInput, providerSettings } from "../../access/openid/provider-settings.ts";
import { saveProvider, storedProvider } from "../../access/openid/provider-settings.ts";
import type { Services } from "../../services.ts";

const userOf = ({ userId, role, ...of }: Session) => ({ id: userId, email: of.email, role });

const SessionUser = z.object({ id: z.string(), email: z.string(), role }).openapi("SessionUser");
const Signed = z.object({ user: SessionUser });
const Itself = z.object({
  user: z.object(SessionUser.shape).nullable(),
  totp: z.object({ enrolled: z.boolean(), required: z.boolean() }).optional(),
  key: z.object({ id: z.string(), role }).optional(),
});

export const sessionRoutes = new Endpoints("session")
  .json(
    "post /session",
    "Sign in. The answer sets the session's cookie.",
    {
      body: credentials,
      answer: Signed,
      errors: [422],
      before: [rateLimit("login"), noForeignPages],
    },
    async ({ context, services, body }) => {
      const { raw } = context.req;
      context.set("auditTarget", emailIn(body.email));
      const of = { ...originOf(services.config, raw), replaces: await sessionHashOf(context) };
      const signingIn = signIn(services, { ...body, ...of });
      const { session, secret } = await signingIn.catch((thrown: unknown) => {
        if (thrown instanceof QuarryError && thrown.code === "code-refused") {
          context.set("auditAction", "session.code");
        }
        throw thrown;
      });
      context.set("actor", { kind: "user", id: session.userId, name: session.email });
      context.header("Set-Cookie", sessionCookie(secret, isHttps(services.config, raw)));
      return { user: userOf(session) };
    },
  )
  .json(
    "get /session",
    "Your identity. The user or key of the request, and whether a second factor is set.",
    { answer: Itself, before: [signedInOnly] },
    ({ services, caller }) => {
      if (caller.kind === "key") {
        return { user: null, key: { id: caller.keyId, role: caller.role } };
      }
      const { hasTotp: enrolled, isVouched } = caller.session;
      const totp = { enrolled, required: services.config.REQUIRE_TOTP && !isVouched };
      return { user: userOf(caller.session), totp };
    },
  )
  .empty(
    "delete /session",
    "Sign out. The session ends and its cookie is removed.",
    { before: [signedInOnly, ownPagesOnly] },
    async ({ context, services: { config, db }, caller }) => {
      const secure = isHttps(config, context.req.raw);
      if (caller.kind === "session") {
        await signOut({ db }, context.req.header("Cookie") ?? null, secure);
      }
      context.header("Set-Cookie", expiredSessionCookie(secure));
    },
  )
  .json(
    "patch /session/password",
    "Change your password. Your other sessions end.",
    {
      body: ownPassword,
      answer: Signed,
      before: [rateLimit("login"), signedInOnly, ownPagesOnly, enrolledOnly],
    },
    async ({ context, services, caller, body }) => {
      if (caller.kind !== "session") throw forbidden();
      await changeOwnPassword(services, { ...(await ownSession(context)), ...body });
      return { user: userOf(caller.session) };
    },
  ).app;

const TOTP = "/session/totp";
const before = [rateLimit("login"), signedInOnly, ownPagesOnly];

export const totpRoutes = new Endpoints("session")
  .json(
    `post ${TOTP}`,
    "Enrol a second factor. Show `uri` as a QR code or type `secret` into the app; sign-ins need no code until it is confirmed.",
    {
      answer: z.object({ secret: z.string(), uri: z.string() }),
      status: 201,
      errors: [409, 422],
      before,
    },
    ({ context, services }) => beginTotp(services, signedInUser(context, "session.totp.enrol")),
  )
  .json(
    `post ${TOTP}/confirm`,
    "Confirm a second factor. The recovery codes are shown only once.",
    {
      body: confirmation,
      answer: z.object({ recoveryCodes: z.array(z.string()) }),
      errors: [409, 422],
      before: [...before, forUsers("session.totp.confirm")],
    },
    async ({ context, services, body }) =>
      await confirmEnrolment(services, { ...(await ownSession(context)), ...body }),
  )
  .empty(
    `delete ${TOTP}`,
    "Remove your second factor. With a code or with the password.",
    {
      body: proof,
      errors: [404, 409, 422],
      before: [...before, forUsers("session.totp.remove")],
    },
    async ({ context, services, body }) =>
      await removeOwnTotp(services, { ...(await ownSession(context)), ...body }),
  ).app;

/** Records who tried what before the body is checked. */
function forUsers(auditAction: string) {
  return createMiddleware<PanelEnv>(async (context, next) => {
    signedInUser(context, auditAction);
    await next();
  });
}

/** A key has no second factor. @throws QuarryError `forbidden`. */
function signedInUser(context: Context<PanelEnv>, auditAction: string) {
  context.set("auditAction", auditAction);
  const caller = context.get("caller");
  if (caller.kind !== "session") throw forbidden();
  context.set("auditTarget", caller.session.email);
  return caller.session;
}

const shown = providerSettings.openapi("OpenIdProvider");

const settingsOf = async (services: Services) =>
  orNotFound(await storedProvider(services)).settings;

/** The provider that people sign in with. */
export const signInRoutes = new Endpoints("users")
  .json(
    "get /sign-in",
    "The OpenID Connect provider. For administrators; without the client secret.",
    { answer: shown, errors: [404] },
    async ({ services, caller }) => {
      if (caller.role !== "admin") throw forbidden();
      return await settingsOf(services);
    },
  )
  .json(
    "put /sign-in",
    "Set the OpenID Connect provider. Without `clientSecret`, the stored one stays, unless the issuer or the client ID changes.",
    { body: providerInput, answer: shown },
    async ({ services, context, body }) => {
      context.set("auditAction", "sign-in.change");
      await saveProvider(services, body, await sessionHashOf(context));
      return await settingsOf(services);
    },
  ).app;
