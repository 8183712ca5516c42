import type { Actor } from "../access/audit/record-event.ts";
import { bearerIn } from "../access/bearer.ts";
import { isWellFormedToken } from "../access/credential-format.ts";
import { billedReader, readingOf, sessionReading, type Reading } from "../access/readers.ts";
import { isSameOrigin } from "../access/sessions/same-origin.ts";
import { sessionHashIn } from "../access/sessions/session-cookie.ts";
import { mustEnrol } from "../access/totp/must-enrol.ts";
import { billPerson } from "../catalog/limits/spending.ts";
import { forbidden, secondFactorRequired, unauthorized } from "../core/errors.ts";
import { sha256Hex } from "../core/hash.ts";
import type { TokenId } from "../core/ids.ts";
import { MINUTE_MS } from "../core/time.ts";
import {
  touchToken,
  type Credential,
  type StoredPrincipal,
} from "../db/access/principal-lookup.ts";
import { isOver, touchSession } from "../db/access/session-store.ts";
import type { Services } from "../services.ts";
import { baseUrlOf, isHttps } from "./client-address.ts";

/** Who calls the public API. */
export type Caller = {
  actor: Actor;
  /** Null for a panel session. */
  tokenId: TokenId | null;
  /** An administrator's session: sees the administrator-only fields. */
  isAdmin: boolean;
  /** False: a member's session or a token without `manageScopes` only reads, retrieves and runs. */
  mayChange: boolean;
  /** For whom it reads files of sources with permissions. */
  reading: Reading;
};

/** Credentials of connected programs, as the APIs found them that honour their tokens. */
const granted = new WeakMap<Request, Credential>();

/** From here on, this is the credential of the request. */
export const grant = (request: Request, credential: Credential) => granted.set(request, credential);

/**
 * The credential of a request. An `Authorization` header, where present, is the only one read.
 * @throws QuarryError `unauthorized` for malformed credentials, without a look-up.
 */
export async function credentialIn(services: Services, request: Request): Promise<Credential> {
  const { headers } = request;
  const authorization = headers.get("Authorization");
  if (authorization !== null) {
    const token = bearerIn(authorization);
    const grant = granted.get(request);
    if (grant !== undefined) return grant;
    if (token === null || !isWellFormedToken(token)) throw unauthorized();
    return { kind: "token", hash: await sha256Hex(token) };
  }
  const secure = isHttps(services.config, request);
  const hash = await sessionHashIn(headers.get("Cookie"), secure);
  if (hash === null) throw unauthorized();
  return { kind: "session", hash };
}

/**
 * The caller that the look-up found; records the use in the background.
 * @throws QuarryError `unauthorized` (unknown or expired), `forbidden` (a session's request that
 * may come from another site).
 */
export function callerFrom(
  services: Services,
  request: Request,
  principal: StoredPrincipal | null,
): Caller {
  if (principal === null) throw unauthorized();
  return principal.kind === "token"
    ? tokenCaller(services, request, principal)
    : sessionCaller(services, request, principal);
}

type OfKind<Kind> = Extract<StoredPrincipal, { kind: Kind }>;

function tokenCaller(services: Services, request: Request, principal: OfKind<"token">): Caller {
  const { tokenId, expiresAt, lastUsedAt } = principal;
  const now = services.now();
  if (expiresAt !== null && expiresAt <= now) throw unauthorized();
  const before = now - MINUTE_MS;
  if (lastUsedAt === null || lastUsedAt <= before) {
    services.runInBackground(touchToken(services.db, tokenId, now, before));
  }
  const actor: Actor = { kind: "token", id: tokenId, name: principal.name };
  const reading = readingOf(principal, request.headers);
  services.spending.bill([{ kind: "token", id: tokenId }]);
  billPerson(services, billedReader(reading));
  return { actor, tokenId, isAdmin: false, mayChange: principal.manageScopes, reading };
}

function sessionCaller(services: Services, request: Request, principal: OfKind<"session">): Caller {
  const now = services.now();
  if (isOver(principal, now)) throw unauthorized();
  const { hasTotp, vouchedUntil } = principal;
  // A page of the panel asks the provider again; this only ends what nobody vouches for any more.
  if (vouchedUntil !== null && vouchedUntil <= now) throw unauthorized();
  const isVouched = vouchedUntil !== null;
  if (mustEnrol(services.config, { hasTotp, isVouched })) throw secondFactorRequired();
  const harmless = request.method === "GET" || request.method === "HEAD";
  if (!harmless && !isSameOrigin(request, baseUrlOf(services.config, request))) throw forbidden();
  if (now - principal.lastSeenAt >= MINUTE_MS)
    services.runInBackground(touchSession(services.db, principal.hash, now));
  const isAdmin = principal.role === "admin";
  const actor: Actor = { kind: "user", id: principal.userId, name: principal.email };
  const reading = sessionReading(principal, request.headers);
  billPerson(services, principal.email);
  return { actor, tokenId: null, isAdmin, mayChange: isAdmin, reading };
}
