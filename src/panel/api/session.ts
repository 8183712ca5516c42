import { z } from "@hono/zod-openapi";

import { providerInput, providerSettings } from "../../access/openid/provider-settings.ts";
import { saveProvider, readProvider } from "../../access/openid/provider-settings.ts";
import type { Session } from "../../access/sessions/find-session.ts";
import { expiredSessionCookie, sessionCookie } from "../../access/sessions/session-cookie.ts";
import { signIn } from "../../access/sessions/sign-in.ts";
import { signOut } from "../../access/sessions/sign-out.ts";
import { beginTotp, confirmEnrolment, removeOwnTotp } from "../../access/totp/change-totp.ts";
import { confirmation, credentials, proof } from "../../access/totp/totp-input.ts";
import { changeOwnPassword } from "../../access/users/change-user.ts";
import { emailIn, ownPassword, role } from "../../access/users/user-input.ts";
import { forbidden, requireFound, QuarryError } from "../../core/errors.ts";
import { findUserByEmail } from "../../db/access/user-store.ts";
import { originOf, isHttps } from "../../http/client-address.ts";
import { rateLimit } from "../../http/middleware/rate-limit.ts";
import type { Services } from "../../services.ts";
import { action, type ActionContext } from "../action.ts";
import { Endpoints, schema } from "./request/endpoint.ts";
import { requireTotp, refuseForeignPages, requireOwnPages, ownSession } from "./request/guards.ts";
import { sessionHashOf, requireSignIn } from "./request/guards.ts";

const userOf = ({ userId, role, ...session }: Session) => ({
  id: userId,
  email: session.email,
  role,
});

const SessionUser = schema("SessionUser", { id: z.string(), email: z.string(), role });
const Signed = z.object({ user: SessionUser });
const Itself = z.object({
  user: z.object(SessionUser.shape).nullable(),
  totp: z.object({ enrolled: z.boolean(), required: z.boolean() }).optional(),
  key: z.object({ id: z.string(), role }).optional(),
});

/** For one's own credentials; a key has none. @throws QuarryError `forbidden` */
function sessionOf({ get }: Pick<ActionContext, "get">): Session {
  const caller = get("caller");
  if (caller.kind !== "session") throw forbidden();
  return caller.session;
}

const ownTarget = (_none: unknown, { context }: { context: ActionContext }) =>
  sessionOf(context).email;

const own = [rateLimit("login"), requireSignIn, requireOwnPages];

export const passwordChange = action({
  name: "session.password.change",
  route: "patch /session/password",
  about: "Change your password. Your other sessions end.",
  by: "members",
  body: ownPassword,
  before: [...own, requireTotp],
  work: async ({ context, services, body }) => {
    const session = sessionOf(context);
    await changeOwnPassword(services, { ...(await ownSession(context)), ...body });
    return { user: userOf(session) };
  },
  target: ownTarget,
  answer: Signed,
  notice: "The password is changed. Your other sessions have ended.",
});

export const sessionRoutes = new Endpoints("session")
  .json(
    "post /session",
    "Sign in. The answer sets the session's cookie.",
    {
      name: "session.sign-in",
      by: "anybody",
      body: credentials,
      answer: Signed,
      errors: [422],
      before: [rateLimit("login"), refuseForeignPages],
    },
    async ({ context, body }) => {
      const { session, secret } = await signInWithAudit(context, body);
      const secure = isHttps(context.get("services").config, context.req.raw);
      context.header("Set-Cookie", sessionCookie(secret, secure));
      return { user: userOf(session) };
    },
  )
  .json(
    "get /session",
    "Your identity. The user or key of the request, and whether a second factor is set.",
    { answer: Itself, before: [requireSignIn] },
    ({ services, caller }) => {
      if (caller.kind === "key") {
        return { user: null, key: { id: caller.keyId, role: caller.role } };
      }
      const { hasTotp: enrolled, isVouched } = caller.session;
      const totp = { enrolled, required: services.config.REQUIRE_TOTP && !isVouched };
      return { user: userOf(caller.session), totp };
    },
  )
  .action(
    action({
      name: "session.sign-out",
      route: "delete /session",
      about: "Sign out. The session ends and its cookie is removed.",
      by: "members",
      before: [requireSignIn, requireOwnPages],
      work: async ({ context, services: { config, db }, caller }) => {
        const secure = isHttps(config, context.req.raw);
        if (caller.kind === "session") {
          await signOut({ db }, context.req.header("Cookie") ?? null, secure);
        }
        context.header("Set-Cookie", expiredSessionCookie(secure));
      },
    }),
  )
  .action(passwordChange).app;

/** Signs in, and names in the audit trail who did or tried. */
export async function signInWithAudit(context: ActionContext, input: z.output<typeof credentials>) {
  const services = context.get("services");
  const origin = originOf(services.config, context.req.raw);
  const entry = { action: "session.sign-in", target: emailIn(input.email) } as const;
  context.set("audit", entry);
  try {
    const replaces = await sessionHashOf(context);
    const signedIn = await signIn(services, { ...input, ...origin, replaces });
    const { userId: id, email: name } = signedIn.session;
    context.set("actor", { kind: "user", id, name });
    return signedIn;
  } catch (thrown) {
    const isCode = thrown instanceof QuarryError && thrown.code === "code-refused";
    // Addresses that somebody could type have no end.
    const isOfUser = (await findUserByEmail(services.db, entry.target)) !== null;
    const action = isCode ? "session.code" : entry.action;
    context.set("audit", { action, target: isOfUser ? entry.target : "unknown" });
    throw thrown;
  }
}

const TOTP = "/session/totp";

export const totpEnrolment = action({
  name: "session.totp.enrol",
  route: `post ${TOTP}`,
  about:
    "Enrol a second factor. Show `uri` as a QR code or type `secret` into the app; sign-ins need no code until it is confirmed.",
  by: "members",
  status: 201,
  errors: [409, 422],
  before: own,
  work: ({ context, services }) => beginTotp(services, sessionOf(context)),
  target: ownTarget,
  answer: z.object({ secret: z.string(), uri: z.string() }),
});

export const totpConfirmation = action({
  name: "session.totp.confirm",
  route: `post ${TOTP}/confirm`,
  about: "Confirm a second factor. The recovery codes are shown only once.",
  by: "members",
  body: confirmation,
  errors: [409, 422],
  before: own,
  work: async ({ context, services, body }) =>
    await confirmEnrolment(services, { ...(await ownSession(context)), ...body }),
  target: ownTarget,
  answer: z.object({ recoveryCodes: z.array(z.string()) }),
});

export const ownTotpRemoval = action({
  name: "session.totp.remove",
  route: `delete ${TOTP}`,
  about: "Remove your second factor. With a code or with the password.",
  by: "members",
  body: proof,
  errors: [404, 409, 422],
  before: own,
  work: async ({ context, services, body }) =>
    await removeOwnTotp(services, { ...(await ownSession(context)), ...body }),
  target: ownTarget,
  notice: "The second factor is off.",
});

export const totpRoutes = new Endpoints("session")
  .action(totpEnrolment)
  .action(totpConfirmation)
  .action(ownTotpRemoval).app;

const shown = schema("OpenIdProvider", providerSettings.shape);

const settingsOf = async (services: Services) =>
  requireFound(await readProvider(services)).settings;

export const signInChange = action({
  name: "sign-in.change",
  route: "put /sign-in",
  about:
    "Set the OpenID Connect provider. Without `clientSecret`, the stored one stays, unless the issuer or the client ID changes.",
  find: readProvider,
  body: providerInput,
  work: async ({ services, context, body }) => {
    await saveProvider(services, body, await sessionHashOf(context));
    return await settingsOf(services);
  },
  previousValues: (provider) => provider?.settings ?? {},
  answer: shown,
  notice: "The settings are saved.",
});

/** The provider that people sign in with. */
export const signInRoutes = new Endpoints("users")
  .json(
    "get /sign-in",
    "The OpenID Connect provider. For administrators; without the client secret.",
    { answer: shown, errors: [404], by: "admins" },
    ({ services }) => settingsOf(services),
  )
  .action(signInChange).app;
