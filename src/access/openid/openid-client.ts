import * as oauth from "oauth4webapi";

import { HOUR_MS } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { unseal } from "../seal.ts";
import { missingClaims, type Claims } from "./judge-claims.ts";
import type { StoredProvider } from "./provider-settings.ts";

export type IssuerClient = Pick<Services, "askIssuer" | "config" | "now">;

const CLOCKS_DIFFER_SECONDS = 30;
/** The provider itself has failed, or has too much to do: it refused nothing. */
const FAILED_FROM = 500;
const TOO_MANY_REQUESTS = 429;

/** A provider as it describes itself, and what each request to it needs. */
export type Connection = Awaited<ReturnType<typeof connect>>;

/**
 * The provider's latest metadata. The library keeps the keys by this object: five minutes, or a
 * minute when a token names one that is not among them.
 */
let cached: { issuer: string; server: oauth.AuthorizationServer; until: number } | null = null;

/** `isAnew`: asks the provider again what it supports. @throws what `explain` explains */
export async function connect(services: IssuerClient, provider: StoredProvider, isAnew = false) {
  const { settings, sealedSecret } = provider;
  const secret = await unseal(services.config, sealedSecret);
  const options = optionsOf(services);
  const now = services.now();
  if (isAnew || cached === null || cached.issuer !== settings.issuer || cached.until <= now) {
    const server = await discover(settings.issuer, options);
    cached = { issuer: settings.issuer, server, until: now + HOUR_MS };
  }
  const isBasic = settings.clientAuthentication === "basic";
  return {
    settings,
    server: cached.server,
    client: { client_id: settings.clientId, [oauth.clockTolerance]: CLOCKS_DIFFER_SECONDS },
    authentication: (isBasic ? oauth.ClientSecretBasic : oauth.ClientSecretPost)(secret),
    options,
  };
}

const optionsOf = ({ askIssuer, config }: IssuerClient) => ({
  [oauth.customFetch]: async (address: string, request: object) => {
    const answer = await askIssuer(address, request);
    const { status } = answer;
    if (status < FAILED_FROM && status !== TOO_MANY_REQUESTS) return answer;
    throw new SourceFailure("down", `it answered ${answer.status}`);
  },
  [oauth.allowInsecureRequests]: config.ALLOW_PRIVATE_URLS,
});

async function discover(issuer: string, options: ReturnType<typeof optionsOf>) {
  const at = new URL(issuer);
  return await oauth.processDiscoveryResponse(at, await oauth.discoveryRequest(at, options));
}

/** The values that a sign-in keeps until the person is back. */
export type SignInSecrets = { state: string; nonce: string; verifier: string };

export const newFlow = (): SignInSecrets => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
});

/** `prompt`: how the provider is to ask for the account; undefined: as it likes. */
export type SignInRequest = { redirectUri: string; prompt?: string | undefined };

export async function signInAddress(
  { settings, server, client, authentication, options }: Connection,
  { state, nonce, verifier }: SignInSecrets,
  { redirectUri, prompt = "" }: SignInRequest,
): Promise<string> {
  const url = new URL(server.authorization_endpoint ?? "missing:");
  oauth.checkProtocol(url, !options[oauth.allowInsecureRequests]);
  const prompts = `${prompt}${settings.consent ? " consent" : ""}`.trim();
  const parameters = {
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: settings.scopes,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(prompts !== "" && { prompt: prompts }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (server.pushed_authorization_request_endpoint === undefined) return url.href;
  // A provider may require it of some clients and refuse it to others, which its metadata does not
  // say so (RFC 9126, section 5): where it is refused, the request stands in the address.
  const pushAuthorization = async () =>
    await oauth.processPushedAuthorizationResponse(
      server,
      client,
      await oauth.pushedAuthorizationRequest(server, client, authentication, parameters, options),
    );
  const pushed = await pushAuthorization().catch((thrown: unknown) => {
    const isRequired = server.require_pushed_authorization_requests === true;
    if (isRequired || thrown instanceof SourceFailure || explain(thrown) === null) throw thrown;
    return null;
  });
  if (pushed === null) return url.href;
  const { client_id } = parameters;
  url.search = String(new URLSearchParams({ client_id, request_uri: pushed.request_uri }));
  return url.href;
}

/** Claims that passed every check; `refreshToken` null: the provider gave none. */
export type Answer = {
  subject: string;
  idToken: Claims;
  userinfo: Claims;
  refreshToken: string | null;
};

export async function redeem(
  to: Connection,
  { state, nonce, verifier }: SignInSecrets,
  { returned, redirectUri }: { returned: URLSearchParams; redirectUri: string },
): Promise<Answer> {
  const { server, client, authentication, options } = to;
  const code = oauth.validateAuthResponse(server, client, returned, state);
  const response = await oauth.authorizationCodeGrantRequest(
    ...([server, client, authentication, code, redirectUri, verifier, options] as const),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  return await readTokenResponse(to, response, tokens);
}

/** Asks once more for somebody who signed in before; null where the provider says too little. */
export async function refresh(
  to: Connection,
  refreshToken: string,
  subject: string,
): Promise<Answer | null> {
  const { server, client, authentication, options } = to;
  const response = await oauth.refreshTokenGrantRequest(
    ...([server, client, authentication, refreshToken, options] as const),
  );
  const tokens = await oauth.processRefreshTokenResponse(server, client, response);
  if (tokens.id_token === undefined && server.userinfo_endpoint === undefined) return null;
  const answer = await readTokenResponse(to, response, tokens, subject);
  return { ...answer, refreshToken: answer.refreshToken ?? refreshToken };
}

async function readTokenResponse(
  to: Connection,
  response: Response,
  tokens: oauth.TokenEndpointResponse,
  expected?: string,
): Promise<Answer> {
  const { server, settings, options } = to;
  // The library checks what the token says; this checks who signed it.
  const idToken = oauth.getValidatedIdTokenClaims(tokens);
  if (idToken !== undefined)
    await oauth.validateApplicationLevelSignature(server, response, options);
  const subject = idToken?.sub ?? expected ?? "";
  if (expected !== undefined && subject !== expected) throw new Error("another person's ID token");
  const missing = missingClaims(settings, idToken ?? {});
  const isMore = server.userinfo_endpoint !== undefined && missing !== "none";
  const account = { accessToken: tokens.access_token, subject, isNeeded: missing === "needed" };
  const userinfo = isMore ? await userinfoOf(to, account) : {};
  return { subject, idToken: idToken ?? {}, userinfo, refreshToken: tokens.refresh_token ?? null };
}

async function userinfoOf(
  { server, client, options }: Connection,
  { accessToken, subject, isNeeded }: { accessToken: string; subject: string; isNeeded: boolean },
): Promise<Claims> {
  const response = await oauth.userInfoRequest(server, client, accessToken, options);
  // Entra and AD FS refuse it to tokens for another API.
  if (!response.ok && !isNeeded) return {};
  const claims = await oauth.processUserInfoResponse(server, client, subject, response);
  if (response.headers.get("Content-Type")?.startsWith("application/jwt") === true) {
    await oauth.validateApplicationLevelSignature(server, response, options);
  }
  return { ...claims };
}

/** An error code as RFC 6749 has them: everything else could be text for people, or worse. */
const CODE = /^[\w.-]{1,60}$/;

/** Keycloak's words where a user or client has no role for offline access. */
const HINTS: Record<string, string> = {
  not_allowed: ": remove offline_access from the scopes, or allow it there",
};

/**
 * Why the provider's answer did not lead to a sign-in, for the log and for administrators; holds
 * no code, token or claim. Null: the error is not the provider's.
 */
export function explain(thrown: unknown): string | null {
  if (thrown instanceof SourceFailure) return thrown.message;
  if (
    thrown instanceof oauth.ResponseBodyError ||
    thrown instanceof oauth.AuthorizationResponseError
  ) {
    const code = CODE.test(thrown.error) ? thrown.error : "with an error";
    return `the provider answered ${code}${HINTS[code] ?? ""}`;
  }
  if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
    return `the provider refused the client with ${thrown.status}`;
  }
  const isOfAnswer =
    thrown instanceof oauth.OperationProcessingError ||
    thrown instanceof oauth.UnsupportedOperationError;
  return isOfAnswer ? thrown.message : null;
}
