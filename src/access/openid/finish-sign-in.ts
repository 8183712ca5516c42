import { invalid, QuarryError } from "../../core/errors.ts";
import { equalInConstantTime, sha256Hex } from "../../core/hash.ts";
import { HOUR_MS } from "../../core/time.ts";
import { endGrantsOf } from "../../db/access/grant-store.ts";
import { findByIdentity, redeemState } from "../../db/access/openid-store.ts";
import { deleteSession, endPasswordSessions } from "../../db/access/session-store.ts";
import type { Origin, Recheck } from "../../db/access/session-store.ts";
import type { Services } from "../../services.ts";
import type { FieldChange } from "../audit/field-changes.ts";
import { seal } from "../seal.ts";
import { openSession } from "../sessions/open-session.ts";
import { unsealFlow, findOfferedProvider, explainFailure, type Flow } from "./begin-sign-in.ts";
import { personOf, type SignedInUser } from "./find-person.ts";
import { judgeClaims, type Verdict, type Refusal } from "./judge-claims.ts";
import { connect, redeem, type Answer, type IssuerClient } from "./openid-client.ts";
import { signInChoices } from "./provider-settings.ts";

/** A session lives so long on one word of the provider. */
const VOUCHED_MS = HOUR_MS;

/** Somebody whom the provider knows and the settings do not let in. */
export class RefusedPerson extends QuarryError {
  /** The verified address; null: there is none. */
  readonly email: string | null;

  constructor({ refusal, email }: Extract<Verdict, { isLetIn: false }>) {
    super("forbidden", WORDS[refusal], { cause: refusal });
    this.email = email;
  }
}

const WORDS: Record<Refusal, string> = {
  "no-address":
    "The provider does not tell your e-mail address, which is needed here. Ask an administrator to add it to your account there.",
  "unverified-address": "The provider has not verified your e-mail address, so it is not accepted.",
  "too-many-groups":
    "You are in too many groups for the provider to name them. Ask an administrator to let you in by another claim.",
  "not-let-in": "Your account may not use this service. Ask an administrator to let you in.",
};

export type SignIn = {
  user: SignedInUser;
  secret: string;
  next: string;
  changes: FieldChange[];
};

/**
 * Signs in the person whom the provider sent back. `kept`: what the browser kept of the beginning;
 * `replaces`: the hash of its session, which ends.
 * @throws QuarryError `invalid` for an answer to another beginning, or to one that was used;
 * `unauthorized` and `unprocessable` as `explainFailure`; `conflict` as `personOf`; RefusedPerson.
 */
export async function finishSignIn(
  services: IssuerClient & Pick<Services, "db" | "log">,
  callback: {
    kept: string | null;
    returned: URLSearchParams;
    redirectUri: string;
    origin: Origin;
    replaces: string | null;
  },
): Promise<SignIn> {
  const { db } = services;
  const provider = await findOfferedProvider(services);
  const { issuer } = provider.settings;
  const flow = await flowOf(services, callback.kept, callback.returned);
  if (flow.issuer !== issuer) throw unknownFlow();
  const answer = await explainFailure(services, async () =>
    redeem(await connect(services, provider), flow, callback),
  );
  const judged = judgeClaims(provider.settings, answer.idToken, answer.userinfo);
  if (callback.replaces !== null) await deleteSession(db, callback.replaces);
  const account = { issuer, subject: answer.subject };
  if (!judged.isLetIn) {
    const person = await findByIdentity(db, issuer, answer.subject);
    if (person !== null) await endGrantsOf(db, person.id);
    services.log.warn("openid sign-in failed", { reason: judged.refusal });
    throw new RefusedPerson(judged);
  }
  const { user, changes } = await personOf(services, account, judged.person);
  const secret = await openSession(
    services,
    user.id,
    callback.origin,
    await planRecheck(services, answer),
  );
  if (!(await signInChoices(services)).passwords) await endPasswordSessions(db);
  services.log.info("signed in", { userId: user.id });
  return { user, secret, next: flow.next, changes };
}

/** The beginning that the answer belongs to, which no other answer can use any more. */
async function flowOf(
  services: Pick<Services, "config" | "db" | "now">,
  sealedFlow: string | null,
  returned: URLSearchParams,
): Promise<Flow> {
  const flow = await unsealFlow(services, sealedFlow);
  const state = returned.get("state") ?? "";
  if (flow === null || !(await equalInConstantTime(state, flow.state))) throw unknownFlow();
  if (!(await redeemState(services.db, await sha256Hex(state), services.now())))
    throw unknownFlow();
  return flow;
}

const unknownFlow = () =>
  invalid("this sign-in was not begun in this browser, took too long or was used. Begin again.");

/** Until when the provider's answer counts, and the token that asks again. */
export async function planRecheck(
  { config, now }: Pick<Services, "config" | "now">,
  { refreshToken }: Answer,
): Promise<Recheck> {
  return {
    vouchedUntil: now() + VOUCHED_MS,
    sealedRefreshToken: refreshToken === null ? null : await seal(config, refreshToken),
  };
}
