import { ResponseBodyError } from "oauth4webapi";

import { QuarryError } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { endGrantsOf } from "../../db/access/grant-store.ts";
import { findIdentityOf, markRefused, RENEWED_AFTER_MS } from "../../db/access/openid-store.ts";
import {
  claimCheck,
  deleteSession,
  sessionsToRenew,
  storeRecheck,
} from "../../db/access/session-store.ts";
import type { FoundSession } from "../../db/access/session-store.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import type { FieldChange } from "../audit/field-changes.ts";
import { recordEvent } from "../audit/record-event.ts";
import { unseal } from "../seal.ts";
import { personOf } from "./find-person.ts";
import { planRecheck } from "./finish-sign-in.ts";
import { judgeClaims } from "./judge-claims.ts";
import { connect, explain, refresh, type Answer, type IssuerClient } from "./openid-client.ts";
import { readProvider, type StoredProvider } from "./provider-settings.ts";

/** A check that fails is tried again after so long. */
const CHECK_MS = MINUTE_MS;
const OK = 200;
const UNAUTHORIZED = 401;

type RecheckServices = IssuerClient & Pick<Services, "db" | "log">;

/** At most so many people at once, so that other work is not held up. */
const PEOPLE_AT_ONCE = 10;

/** Asks the provider twice a day about people with connected programs, where it can be asked. */
export async function recheckDueSessions(services: RecheckServices): Promise<void> {
  const { db, now } = services;
  const due = await sessionsToRenew(db, now() - RENEWED_AFTER_MS, PEOPLE_AT_ONCE);
  for (const { sealedRefreshToken, ...session } of due) {
    if (sealedRefreshToken === null) continue;
    const outcome = await recheckSession(services, session.hash, {
      ...session,
      sealedRefreshToken,
    });
    // Down, as a rule: the next minute asks about another person first.
    if (outcome === "unknown") return;
  }
}

/** "unknown": the provider was not asked, or did not tell; the session lives until its time. */
export async function recheckSession(
  services: RecheckServices,
  hash: string,
  session: FoundSession & { sealedRefreshToken: string },
): Promise<"vouched" | "ended" | "unknown"> {
  const { db, now } = services;
  const provider = await readProvider(services);
  if (provider?.settings.enabled !== true) return "unknown";
  if (!(await claimCheck(db, hash, now(), now() + CHECK_MS))) return "unknown";
  const identity = await findIdentityOf(db, session.userId);
  if (identity?.issuer !== provider.settings.issuer) return "unknown";
  const answer = await askProviderAgain(services, provider, {
    ...session,
    hash,
    subject: identity.subject,
  });
  if (answer === null) return "unknown";
  const judged = judgeClaims(provider.settings, answer.idToken, answer.userinfo);
  const { userId, email, address } = session;
  const event = { action: "session.recheck", target: email, address } as const;
  const audit = async (status: number, changes: FieldChange[]) => {
    const actor = { kind: "user" as const, id: userId, name: email };
    await recordEvent(services, { ...event, actor, changes, status });
  };
  const person = judged.isLetIn
    ? await personOf(services, identity, judged.person, hash).catch(nullIfRefused)
    : null;
  if (person === null) {
    await deleteSession(db, hash);
    await endGrantsOf(db, session.userId);
    await audit(UNAUTHORIZED, []);
    return "ended";
  }
  await storeRecheck(db, hash, await planRecheck(services, answer));
  if (person.changes.length > 0) await audit(OK, person.changes);
  return "vouched";
}

/** Null for a refusal: the new address belongs to another user. */
function nullIfRefused(thrown: unknown): null {
  if (thrown instanceof QuarryError) return null;
  throw thrown;
}

/**
 * Whether refresh tokens are good without a session at the provider: others end with it, by an
 * idle time-out too, which refuses nobody (Keycloak says "Session not active").
 */
const hasOfflineAccess = ({ settings }: StoredProvider): boolean =>
  settings.scopes.split(" ").includes("offline_access");

/** Null where the provider does not say: without a refresh token the person goes there. */
async function askProviderAgain(
  services: RecheckServices,
  provider: StoredProvider,
  {
    hash,
    userId,
    sealedRefreshToken,
    subject,
  }: Pick<FoundSession, "hash" | "userId"> & { sealedRefreshToken: string; subject: string },
): Promise<Answer | null> {
  const { config, db, log, now } = services;
  try {
    const token = await unseal(config, sealedRefreshToken);
    const answer = await refresh(await connect(services, provider), token, subject);
    if (answer === null) await storeRecheck(db, hash, { sealedRefreshToken: null });
    return answer;
  } catch (thrown) {
    const reason = explain(thrown);
    log.warn("openid session not renewed", { reason });
    // Refused, not unreachable: the token will not do any more.
    if (!(thrown instanceof SourceFailure))
      await storeRecheck(db, hash, { sealedRefreshToken: null });
    const isInvalid = thrown instanceof ResponseBodyError && thrown.error === "invalid_grant";
    if (isInvalid && hasOfflineAccess(provider)) await markRefused(db, userId, now());
    return null;
  }
}
