import { z } from "@hono/zod-openapi";

import type { Session } from "../../access/sessions/find-session.ts";
import { expiredSessionCookie, sessionCookie } from "../../access/sessions/session-cookie.ts";
import { signIn } from "../../access/sessions/sign-in.ts";
import { signOut } from "../../access/sessions/sign-out.ts";
import { credentials } from "../../access/totp/totp-input.ts";
import { changeOwnPassword } from "../../access/users/change-own-password.ts";
import { emailIn, ownPassword, role } from "../../access/users/user-input.ts";
import { forbidden, QuarryError } from "../../core/errors.ts";
import { addressOf, originOf } from "../../http/client-address.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { isHttps } from "../../http/base-url.ts";
import { Endpoints } from "./request/endpoint.ts";
import {
  enrolledOnly,
  noForeignPages,
  ownPagesOnly,
  sessionHashOf,
  signedInOnly,
} from "./request/guards.ts";

const userOf = ({ userId, role, ...of }: Session) => ({ id: userId, email: of.email, role });

const SessionUser = z.object({ id: z.string(), email: z.string(), role }).openapi("SessionUser");
const Signed = z.object({ user: SessionUser });
const Itself = z.union([
  z.object({ user: SessionUser, totp: z.object({ enrolled: z.boolean(), required: z.boolean() }) }),
  z.object({ user: z.null(), key: z.object({ id: z.string(), role }) }),
]);

/** Signing in, asking who one is, signing out, and one's own password. */
export const sessionRoutes = () =>
  new Endpoints("session")
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
        const signingIn = signIn(services, { ...body, ...originOf(raw.headers) });
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
        const sessionHash = await sessionHashOf(context);
        if (caller.kind !== "session" || sessionHash === null) throw forbidden();
        const { userId } = caller.session;
        const address = addressOf(context.req.raw.headers);
        await changeOwnPassword(services, { userId, sessionHash, address, ...body });
        return { user: userOf(caller.session) };
      },
    ).app;
