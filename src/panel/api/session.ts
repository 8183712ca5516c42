import { Hono } from "hono";
import { z } from "zod";

import type { Session } from "../../access/sessions/find-session.ts";
import {
  expiredSessionCookie,
  sessionCookie,
  sessionHashIn,
} from "../../access/sessions/session-cookie.ts";
import { CodeRefused, signIn } from "../../access/sessions/sign-in.ts";
import { signOut } from "../../access/sessions/sign-out.ts";
import { EMAIL_MAX_LENGTH, foldEmail } from "../../access/users/email.ts";
import { changeOwnPassword } from "../../access/users/change-own-password.ts";
import { PASSWORD_MAX_LENGTH } from "../../access/users/password.ts";
import { forbidden } from "../../core/errors.ts";
import { addressOf } from "../../http/client-address.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { isHttps } from "../../http/base-url.ts";
import { code, email, password } from "./request/fields.ts";
import { enrolledOnly, noForeignPages, ownPagesOnly, signedInOnly } from "./request/guards.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf } from "./request/read-request.ts";
import { totpRoutes } from "./totp.ts";

/** Accepts any password, whatever the rules were when it was chosen. */
const typedPassword = z.string().min(1).max(PASSWORD_MAX_LENGTH);
export const credentials = z.object({
  email: z.string().min(1).max(EMAIL_MAX_LENGTH),
  password: typedPassword,
  code: code.optional(),
});

const userOf = ({ userId, role, ...of }: Session) => ({ id: userId, email: of.email, role });

/** A typed address is recorded only if it looks like one: it may be a password. */
export const emailIn = (typed: string) =>
  email.safeParse(typed).success ? foldEmail(typed) : "unknown";

/** Signing in, asking who one is, signing out. */
export function sessionRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.post("/", rateLimit("login"), noForeignPages, jsonBody(), async (context) => {
    const services = context.get("services");
    const { raw } = context.req;
    const origin = {
      address: addressOf(raw.headers),
      userAgent: context.req.header("User-Agent") ?? "",
    };
    const given = await bodyOf(context.req, credentials);
    context.set("auditTarget", emailIn(given.email));
    const signingIn = signIn(services, { ...given, ...origin });
    const { session, secret } = await signingIn.catch((thrown: unknown) => {
      if (thrown instanceof CodeRefused) context.set("auditAction", "session.code");
      throw thrown;
    });
    context.set("actor", { kind: "user", id: session.userId, name: session.email });
    context.header("Set-Cookie", sessionCookie(secret, isHttps(services.config, raw)));
    return context.json({ user: userOf(session) });
  });

  app.get("/", signedInOnly, (context) => {
    const caller = context.get("caller");
    const required = context.get("services").config.REQUIRE_TOTP;
    if (caller.kind === "session") {
      const totp = { enrolled: caller.session.hasTotp, required };
      return context.json({ user: userOf(caller.session), totp });
    }
    return context.json({ user: null, key: { id: caller.keyId, role: caller.role } });
  });

  app.delete("/", signedInOnly, ownPagesOnly, async (context) => {
    const { config, db } = context.get("services");
    const secure = isHttps(config, context.req.raw);
    if (context.get("caller").kind === "session") {
      await signOut({ db }, context.req.header("Cookie") ?? null, secure);
    }
    context.header("Set-Cookie", expiredSessionCookie(secure));
    return context.body(null, 204);
  });
  addOwnPassword(app);
  app.route("/totp", totpRoutes());
  return app;
}

export const newPassword = z.object({ currentPassword: typedPassword, newPassword: password });

/** Every user's own: it takes the current password, and ends their other sessions. */
function addOwnPassword(app: Hono<PanelEnv>): void {
  const behind = [
    rateLimit("login"),
    signedInOnly,
    ownPagesOnly,
    enrolledOnly,
    jsonBody(),
  ] as const;
  app.patch("/password", ...behind, async (context) => {
    const services = context.get("services");
    const caller = context.get("caller");
    const { raw } = context.req;
    const secure = isHttps(services.config, raw);
    const sessionHash = await sessionHashIn(raw.headers.get("Cookie"), secure);
    if (caller.kind !== "session" || sessionHash === null) throw forbidden();
    const { userId } = caller.session;
    const given = await bodyOf(context.req, newPassword);
    const address = addressOf(raw.headers);
    await changeOwnPassword(services, { userId, sessionHash, address, ...given });
    return context.json({ user: userOf(caller.session) });
  });
}
