import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { beginTotp, confirmEnrolment } from "../../access/totp/enrol-totp.ts";
import { removeOwnTotp } from "../../access/totp/remove-totp.ts";
import { confirmation, proof } from "../../access/totp/totp-input.ts";
import { forbidden } from "../../core/errors.ts";
import { addressOf } from "../../http/client-address.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import { Endpoints } from "./request/endpoint.ts";
import { ownPagesOnly, sessionHashOf, signedInOnly } from "./request/guards.ts";
import type { PanelEnv } from "./request/read-request.ts";

const TOTP = "/session/totp";
const before = [rateLimit("login"), signedInOnly, ownPagesOnly];

/** The second factor of the signed-in user. */
export const totpRoutes = () =>
  new Endpoints("session")
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
      async ({ context, services, body }) => {
        const { userId } = signedInUser(context, "session.totp.confirm");
        const sessionHash = await sessionHashOf(context);
        if (sessionHash === null) throw forbidden();
        return await confirmEnrolment(services, { userId, sessionHash, ...body });
      },
    )
    .empty(
      `delete ${TOTP}`,
      "Remove your second factor. With a code or with the password.",
      {
        body: proof,
        errors: [404, 409, 422],
        before: [...before, forUsers("session.totp.remove")],
      },
      async ({ context, services, body }) => {
        const { userId } = signedInUser(context, "session.totp.remove");
        const address = addressOf(context.req.raw.headers);
        await removeOwnTotp(services, { userId, address, ...body });
      },
    ).app;

/** Records who tried what before the body is checked. */
const forUsers = (auditAction: string) =>
  createMiddleware<PanelEnv>(async (context, next) => {
    signedInUser(context, auditAction);
    await next();
  });

/** A key has no second factor. @throws QuarryError `forbidden`. */
function signedInUser(context: Context<PanelEnv>, auditAction: string) {
  context.set("auditAction", auditAction);
  const caller = context.get("caller");
  if (caller.kind !== "session") throw forbidden();
  context.set("auditTarget", caller.session.email);
  return caller.session;
}
