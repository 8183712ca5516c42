import type { HonoRequest } from "hono";
import { createMiddleware } from "hono/factory";

import type { Actor } from "../../../access/audit/record-event.ts";
import { refuseReader } from "../../../access/readers.ts";
import { findPanelCaller, type PanelCaller } from "../../../access/sessions/find-panel-caller.ts";
import { isSameOrigin } from "../../../access/sessions/same-origin.ts";
import { sessionHashIn, sessionSecretIn } from "../../../access/sessions/session-cookie.ts";
import { mustEnrol } from "../../../access/totp/must-enrol.ts";
import { billPerson } from "../../../catalog/limits/spending.ts";
import { forbidden, secondFactorRequired, tooManyRequests } from "../../../core/errors.ts";
import { unauthorized } from "../../../core/errors.ts";
import { SECOND_MS } from "../../../core/time.ts";
import { hasPermissions } from "../../../db/catalog/source-store.ts";
import { baseUrlOf, isHttps, addressOf, clientOf } from "../../../http/client-address.ts";
import type { Surface } from "../../../ports/rate-limits.ts";
import type { Services } from "../../../services.ts";
import type { PanelEnv } from "./route.ts";

export const isReading = (method: string) => method === "GET" || method === "HEAD";

type PanelRequest = { get: (name: "services") => Services; req: HonoRequest };
type SignedInRequest = PanelRequest & { get: (name: "caller") => PanelCaller };

/** Who calls. @throws QuarryError `unauthorized`; `too-many` when wrong credentials keep coming. */
export const requireSignIn = createMiddleware<PanelEnv>(async (context, next) => {
  const services = context.get("services");
  const { raw } = context.req;
  const secure = isHttps(services.config, raw);
  const caller = await findPanelCaller(services, raw.headers, secure);
  if (caller === null) {
    // Valid credentials are never counted: a push of ten thousand files is not an attack.
    await countTry(context, "panel");
    throw unauthorized();
  }
  refuseReader(raw.headers);
  context.set("caller", caller);
  context.set("actor", actorOf(caller));
  if (caller.kind === "session") billPerson(services, caller.session.email);
  await next();
});

function actorOf(caller: PanelCaller): Actor {
  if (caller.kind === "key") return { kind: "key", id: caller.keyId, name: caller.name };
  const { userId, email } = caller.session;
  return { kind: "user", id: userId, name: email };
}

/** Counts a try against this client's budget. @throws QuarryError `too-many` */
export async function countTry({ get, req }: PanelRequest, surface: Surface = "login") {
  const { config, rateLimits } = get("services");
  const verdict = await rateLimits(surface, clientOf(config, req.raw));
  if (verdict.allowed) return;
  throw tooManyRequests(Math.max(1, Math.ceil(verdict.resetMs / SECOND_MS)));
}

/** The hash of the session that the request is made with; null when it has no cookie of one. */
export const sessionHashOf = ({ get, req }: PanelRequest): Promise<string | null> =>
  sessionHashIn(req.header("Cookie") ?? null, isHttps(get("services").config, req.raw));

/** Who changes credentials of their own, and from where. @throws QuarryError `forbidden` for a key */
export async function ownSession(context: SignedInRequest) {
  const caller = context.get("caller");
  const sessionHash = await sessionHashOf(context);
  if (caller.kind !== "session" || sessionHash === null) throw forbidden();
  return {
    userId: caller.session.userId,
    sessionHash,
    address: addressOf(context.get("services").config, context.req.raw),
  };
}

/** Whether one of our own pages sent it. */
export const isOwnPage = ({ get, req }: PanelRequest) =>
  isSameOrigin(req.raw, baseUrlOf(get("services").config, req.raw));

/** A sign-in from a page comes from one of our own; a program sends neither header. */
export const refuseForeignPages = createMiddleware<PanelEnv>(async ({ req, get }, next) => {
  const isPage = ["Origin", "Sec-Fetch-Site"].some((name) => req.header(name) !== undefined);
  if (isPage && !isOwnPage({ get, req })) throw forbidden();
  await next();
});

/** Changes with the session cookie must come from our own pages. @throws `forbidden`. */
export const requireOwnPages = createMiddleware<PanelEnv>(async ({ req, get }, next) => {
  const secure = isHttps(get("services").config, req.raw);
  const secret = sessionSecretIn(req.header("Cookie") ?? null, secure);
  const withCookie = req.header("Authorization") === undefined && secret;
  if (withCookie && !isReading(req.method) && !isOwnPage({ get, req })) throw forbidden();
  await next();
});

/** Under `REQUIRE_TOTP` a session is for enrolling until that is done. @throws `forbidden`. */
export const requireTotp = createMiddleware<PanelEnv>(async ({ get }, next) => {
  const caller = get("caller");
  const { config } = get("services");
  if (caller.kind === "session" && mustEnrol(config, caller.session)) throw secondFactorRequired();
  await next();
});

/** Keys and administrators read everything. */
export const mayReadAll = ({ kind, role }: PanelCaller) => kind === "key" || role === "admin";

/** Pages and routes with names or texts of files; of one source or RAG, or of any. */
const OF_FILES =
  /^\/panel(?:\/api)?\/(?:(?:file-sources|sources|rags)\/([^/]+)|question-sets|evaluation|asked)(?:\/|$)/;

/** With permissions, members only search, as themselves. @throws QuarryError `forbidden` */
export const restrictMembers = createMiddleware<PanelEnv>(async ({ req, get }, next) => {
  const match = mayReadAll(get("caller")) ? null : OF_FILES.exec(req.path);
  const { db } = get("services");
  if (match !== null && (await hasPermissions(db, match[1] ?? null))) throw forbidden();
  await next();
});
