import { Hono } from "hono";
import { z } from "zod";

import type { Session } from "../../access/sessions/find-session.ts";
import { expiredSessionCookie, sessionCookie } from "../../access/sessions/session-cookie.ts";
import { signIn } from "../../access/sessions/sign-in.ts";
import { signOut } from "../../access/sessions/sign-out.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { rateWindow } from "../../http/middleware/rate-window.ts";
import { baseUrlOf } from "../../http/base-url.ts";
import { ownPagesOnly, signedInOnly } from "./guards.ts";
import type { PanelEnv } from "./panel-env.ts";
import { bodyOf } from "./read-request.ts";

const credentials = z.object({ email: z.string().min(1), password: z.string().min(1) });

const userOf = ({ userId, email, role }: Session) => ({ id: userId, email, role });

/** Signing in, asking who one is, signing out. */
export function sessionRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  const isSecure = (request: Request, config: { PUBLIC_BASE_URL?: string | undefined }) =>
    baseUrlOf(config, request).startsWith("https:");

  app.post("/", rateWindow("login"), ownPagesOnly, jsonBody(), async (context) => {
    const services = context.get("services");
    const { session, secret } = await signIn(services, await bodyOf(context.req, credentials));
    const secure = isSecure(context.req.raw, services.config);
    context.header("Set-Cookie", sessionCookie(secret, secure));
    return context.json({ user: userOf(session) });
  });

  app.get("/", signedInOnly, (context) => {
    const caller = context.get("caller");
    if (caller.kind === "session") return context.json({ user: userOf(caller.session) });
    return context.json({ user: null, key: { id: caller.keyId, role: caller.role } });
  });

  app.delete("/", signedInOnly, ownPagesOnly, async (context) => {
    const { config, db } = context.get("services");
    if (context.get("caller").kind === "session") {
      await signOut({ db }, context.req.header("Cookie") ?? null);
    }
    context.header("Set-Cookie", expiredSessionCookie(isSecure(context.req.raw, config)));
    return context.body(null, 204);
  });
  return app;
}
