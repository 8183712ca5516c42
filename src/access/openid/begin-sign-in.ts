import { AuthorizationResponseError } from "oauth4webapi";
import { z } from "zod";

import { notFound, QuarryError, unprocessable } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { insertSecret } from "../../db/access/openid-store.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { seal, unseal } from "../seal.ts";
import { FLOW_MS } from "../sessions/session-cookie.ts";
import { connect, explain, newFlow, signInAddress } from "./openid-client.ts";
import type { IssuerClient, SignInRequest } from "./openid-client.ts";
import { readProvider, type StoredProvider } from "./provider-settings.ts";

/** Sealed, in the browser until the person is back. */
const flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  issuer: z.string(),
  /** Where the person goes then: an address of our own. */
  next: z.string(),
});
export type Flow = z.infer<typeof flow>;

/** @throws QuarryError `not-found` where no provider is offered. */
export async function findOfferedProvider(services: Pick<Services, "db">): Promise<StoredProvider> {
  const saved = await readProvider(services);
  if (saved?.settings.enabled === true) return saved;
  throw notFound("no provider is offered for sign-in");
}

/** The provider's address, and what the browser keeps. @throws QuarryError `unprocessable` */
export async function beginSignIn(
  services: IssuerClient & Pick<Services, "db" | "log">,
  request: SignInRequest & { next: string },
): Promise<{ address: string; state: string; kept: string }> {
  const provider = await findOfferedProvider(services);
  const begin = newFlow();
  const { issuer } = provider.settings;
  const flow: Flow = { ...begin, issuer, next: request.next };
  const address = await explainFailure(services, async () =>
    signInAddress(await connect(services, provider), begin, request),
  );
  await insertSecret(services.db, await sha256Hex(begin.state), services.now() + FLOW_MS);
  const { state } = begin;
  return { address, state, kept: await seal(services.config, JSON.stringify(flow)) };
}

/** Where people sign out of the provider. @throws QuarryError `unprocessable` */
export async function endSessionAddress(
  services: IssuerClient & Pick<Services, "db" | "log">,
): Promise<string> {
  const provider = await findOfferedProvider(services);
  const { name, clientId } = provider.settings;
  const { server } = await explainFailure(services, () => connect(services, provider));
  const url = URL.parse(server.end_session_endpoint ?? "");
  if (url === null) throw unprocessable(`${name} has no address for signing out`);
  // Providers refuse an address to return to that was not registered with them.
  url.searchParams.set("client_id", clientId);
  return url.href;
}

/** The flow that the browser kept; null when there is none, or it cannot be read. */
export async function unsealFlow(
  { config }: Pick<Services, "config">,
  sealedFlow: string | null,
): Promise<Flow | null> {
  if (sealedFlow === null) return null;
  const text = await unseal(config, sealedFlow).catch(() => "");
  return flow.safeParse(parseJson(text)).data ?? null;
}

/**
 * Asks the provider. The reason of a failure goes to the log; the person learns what to do.
 * @throws QuarryError `unauthorized` when its answer is refused, `unprocessable` when it is down.
 */
export async function explainFailure<Result>(
  { log }: Pick<Services, "log">,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    const reason = explain(thrown);
    if (reason === null) throw thrown;
    log.warn("openid sign-in failed", { reason });
    const code = thrown instanceof AuthorizationResponseError ? thrown.error : "";
    const isDown = thrown instanceof SourceFailure || FAILED.has(code);
    if (isDown) throw new QuarryError("unprocessable", IS_DOWN, { cause: reason });
    const message = code === "access_denied" ? CANCELLED : NOT_ACCEPTED;
    throw new QuarryError("unauthorized", message, { cause: reason });
  }
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
const FAILED = new Set(["temporarily_unavailable", "server_error"]);
const CANCELLED =
  "The provider did not sign you in: you cancelled it there, or may not use this service.";
const IS_DOWN = "The provider cannot sign you in now. Try again in a moment.";
const NOT_ACCEPTED =
  "The provider did not sign you in, or its answer was not valid. Try again; an administrator finds the reason in the service’s log.";
