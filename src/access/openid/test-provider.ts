import * as oauth from "oauth4webapi";

import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { connect, explain, newFlow, signInAddress } from "./openid-client.ts";
import type { IssuerClient, Connection } from "./openid-client.ts";
import type { StoredProvider } from "./provider-settings.ts";

const SHOWN_LENGTH = 100;
const UNAUTHORIZED = 401;
const WRONG_CLIENT = new Set(["invalid_client", "unauthorized_client"]);

/** A result of the test; `note`: it may work all the same. */
export type Finding = { tone: "ok" | "note" | "wrong"; text: string };

const ok = (text: string): Finding => ({ tone: "ok", text });
const note = (text: string): Finding => ({ tone: "note", text });
const problem = (text: string): Finding => ({ tone: "wrong", text });

/** Tries all that a provider answers without a person, and says what is wrong. */
export async function testProvider(
  services: IssuerClient,
  provider: StoredProvider,
  redirectUri: string,
): Promise<Finding[]> {
  const { issuer } = provider.settings;
  let to: Connection;
  try {
    to = await connect(services, provider, true);
  } catch (thrown) {
    return [problem(`${issuer}/.well-known/openid-configuration: ${discoveryProblem(thrown)}`)];
  }
  return [
    ok(`${issuer} describes itself and its issuer is the one above.`),
    ...supportFindings(to),
    await signInFinding(to, redirectUri),
    await keysFinding(to),
    await clientFinding(to, redirectUri),
  ];
}

function discoveryProblem(thrown: unknown): string {
  const { code, cause } = thrown instanceof oauth.OperationProcessingError ? thrown : {};
  if (code === oauth.RESPONSE_IS_NOT_CONFORM && cause instanceof Response) {
    return `it answered ${cause.status}. Is the issuer right?`;
  }
  if (code === oauth.JSON_ATTRIBUTE_COMPARISON && isObject(cause) && isObject(cause["body"])) {
    return `wrong issuer: it says ${String(cause["body"]["issuer"]).slice(0, SHOWN_LENGTH)}`;
  }
  const reason = explain(thrown);
  if (reason === null) throw thrown;
  const isDown = thrown instanceof SourceFailure && thrown.kind === "down";
  return isDown ? `${reason}. Certificates of an authority of your own are not accepted` : reason;
}

const FEW_GROUPS =
  "Entra names no groups of people in more than 200: they count as members without groups. Send only groups that are assigned to the application, or use app roles.";

function supportFindings({ server, settings }: Connection): Finding[] {
  const challenges = server.code_challenge_methods_supported;
  const signing = server.id_token_signing_alg_values_supported ?? ["RS256"];
  const scopes = server.scopes_supported;
  const missing = settings.scopes.split(" ").filter((scope) => scopes?.includes(scope) === false);
  return [
    challenges === undefined
      ? note("It does not say whether it supports PKCE with S256; some support it without saying.")
      : challenges.includes("S256")
        ? ok("It supports PKCE with S256.")
        : problem("No PKCE: it does not support S256."),
    ...(server.response_types_supported?.includes("code") === false
      ? [problem("It does not support the authorization code flow.")]
      : []),
    ...(signing.every((name) => name.startsWith("HS") || name === "none")
      ? [problem("It signs ID tokens with no public key.")]
      : []),
    ...(missing.length > 0 ? [note(`It does not list these scopes: ${missing.join(", ")}.`)] : []),
    ...(/\.microsoftonline\.[a-z]+$/.test(new URL(server.issuer).hostname)
      ? [note(FEW_GROUPS)]
      : []),
    ...(server.userinfo_endpoint === undefined
      ? [note("It has no userinfo: the ID token must hold all claims.")]
      : []),
  ];
}

async function signInFinding(to: Connection, redirectUri: string): Promise<Finding> {
  try {
    const { origin } = new URL(await signInAddress(to, newFlow(), { redirectUri }));
    return ok(`People sign in at ${origin}.`);
  } catch (thrown) {
    return problem(`Its sign-in address cannot be used: ${explain(thrown) ?? "it is no address"}.`);
  }
}

async function keysFinding({ server, options }: Connection): Promise<Finding> {
  try {
    const answer = await options[oauth.customFetch](server.jwks_uri ?? "", {});
    const body = parseJson(await answer.text());
    const keys = isObject(body) && Array.isArray(body["keys"]) ? body["keys"].length : 0;
    if (answer.ok && keys > 0) return ok(`It publishes its keys: ${keys}.`);
    return problem(`Its keys cannot be read: it answered ${answer.status}, ${keys} keys.`);
  } catch (thrown) {
    return problem(`Its keys cannot be read: ${explain(thrown) ?? "they have no address"}.`);
  }
}

/** A code that nobody gave out: who is the right client learns that, others that they are not. */
async function clientFinding(to: Connection, redirectUri: string): Promise<Finding> {
  const { server, client, authentication, options } = to;
  const { verifier } = newFlow();
  const form = { code: "quarry-test", redirect_uri: redirectUri, code_verifier: verifier };
  try {
    const answer = await oauth.genericTokenEndpointRequest(
      ...([server, client, authentication, "authorization_code", form, options] as const),
    );
    const body = parseJson(await answer.text());
    const error = isObject(body) ? String(body["error"]).slice(0, SHOWN_LENGTH) : "no JSON";
    if (error === "invalid_grant") return ok("It knows the client and its secret.");
    if (answer.status === UNAUTHORIZED || WRONG_CLIENT.has(error)) {
      return problem(`Wrong client: the ID, the secret or the way to send it (${error}).`);
    }
    return note(`It did not say whether it knows the client (${answer.status} ${error}).`);
  } catch (thrown) {
    return problem(`Its tokens cannot be asked for: ${explain(thrown) ?? "they have no address"}.`);
  }
}
