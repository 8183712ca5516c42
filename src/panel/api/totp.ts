import { Hono, type Context } from "hono";
import { z } from "zod";

import { sessionHashIn } from "../../access/sessions/session-cookie.ts";
import { beginTotp, confirmEnrolment } from "../../access/totp/enrol-totp.ts";
import { removeOwnTotp } from "../../access/totp/remove-totp.ts";
import { PASSWORD_MAX_LENGTH } from "../../access/users/password.ts";
import { forbidden } from "../../core/errors.ts";
import { isHttps } from "../../http/base-url.ts";
import { addressOf } from "../../http/client-address.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { code } from "./request/fields.ts";
import { ownPagesOnly, signedInOnly } from "./request/guards.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf } from "./request/read-request.ts";

export const confirmation = z.object({ code });
export const proof = z
  .object({
    code: code.optional(),
    password: z.string().min(1).max(PASSWORD_MAX_LENGTH).optional(),
  })
  .refine((given) => given.code !== undefined || given.password !== undefined, {
    path: ["code"],
    message: "or password is required",
  });

/** The second factor of whoever is signed in. */
export function totpRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();
  app.use(rateLimit("login"), signedInOnly, ownPagesOnly);

  app.post("/", async (context) => {
    const user = signedInUser(context, "session.totp.enrol");
    return context.json(await beginTotp(context.get("services"), user), 201);
  });

  app.post("/confirm", jsonBody(), async (context) => {
    const { userId } = signedInUser(context, "session.totp.confirm");
    const services = context.get("services");
    const { raw } = context.req;
    const secure = isHttps(services.config, raw);
    const sessionHash = await sessionHashIn(raw.headers.get("Cookie"), secure);
    if (sessionHash === null) throw forbidden();
    const given = await bodyOf(context.req, confirmation);
    return context.json(await confirmEnrolment(services, { userId, sessionHash, ...given }));
  });

  app.delete("/", jsonBody(), async (context) => {
    const { userId } = signedInUser(context, "session.totp.remove");
    const given = await bodyOf(context.req, proof);
    const address = addressOf(context.req.raw.headers);
    await removeOwnTotp(context.get("services"), { userId, address, ...given });
    return context.body(null, 204);
  });
  return app;
}

/** A key has no second factor. @throws QuarryError `forbidden`. */
function signedInUser(context: Context<PanelEnv>, auditAction: string) {
  context.set("auditAction", auditAction);
  const caller = context.get("caller");
  if (caller.kind !== "session") throw forbidden();
  context.set("auditTarget", caller.session.email);
  return caller.session;
}
