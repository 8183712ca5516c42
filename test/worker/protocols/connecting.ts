import { Browser } from "../../support/browser-without-script.ts";
import { call, ORIGIN, type Call } from "../../support/worker-client.ts";
import type { ProtocolsWorld } from "./world.ts";

/** A program that connects by the protocol's own steps, as RFC 6749, 7636 and 8707 write them. */

const RESOURCE = `${ORIGIN}/mcp`;
export const CALLBACK = "http://127.0.0.1:33418/callback";
const VERIFIER = "a-verifier-of-more-than-forty-three-characters-0123";

/** An administrator's browser, a member's, and that member's id. */
export async function signedInPeople({ panel }: ProtocolsWorld) {
  const email = "member@localhost";
  const password = "quiet amber lantern";
  const { id: memberId } = await panel.create("/users", { email, password, role: "member" });
  const [admin, member] = [new Browser(), new Browser()];
  await admin.signIn();
  await member.signIn(email, password);
  return { admin, member, memberId };
}

/** By which the records name a connection. */
export const idOf = (accessToken: string) => accessToken.split(":", 1)[0] ?? "";

export type Query = Record<string, string | undefined>;

function encoded(fields: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) parameters.set(name, value);
  }
  return parameters.toString();
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return Buffer.from(digest).toString("base64url");
}

export async function register(more: object = {}): Promise<Call> {
  const metadata = {
    client_name: "Desktop program",
    redirect_uris: ["http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
    ...more,
  };
  return await call("POST", "/oauth/register", {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
}

export async function registered(more: object = {}): Promise<string> {
  const { body } = await register(more);
  return (body as { client_id: string }).client_id;
}

/** The address that a program sends its person to; `undefined` leaves a parameter out. */
export async function authorizeAddress(clientId: string, changed: Query = {}): Promise<string> {
  const parameters: Query = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    state: "what-the-program-keeps",
    code_challenge: await challengeOf(VERIFIER),
    code_challenge_method: "S256",
    resource: RESOURCE,
    ...changed,
  };
  return `/authorize?${encoded(parameters)}`;
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&quot;": '"', "&#39;": "'", "&lt;": "<" };
const hiddenIn = (html: string, name: string) =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "").replaceAll(
    /&[a-z#0-9]+;/g,
    (entity) => ENTITIES[entity] ?? entity,
  );

/** The consent form as it is shown, with what a person chooses. */
export const formIn = (html: string, selection: Record<string, string | string[]>) => ({
  query: hiddenIn(html, "query"),
  person: hiddenIn(html, "person"),
  id: hiddenIn(html, "id"),
  answer: "allow",
  ...selection,
});

/** Sends the form without following where its answer leads: that is the program's address. */
export async function press(
  browser: Browser,
  fields: Record<string, string | string[]>,
  headers: Record<string, string> = { Origin: ORIGIN },
): Promise<Call & { leads: URL | null }> {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) body.append(name, value);
  }
  const answer = await call("POST", "/authorize", {
    headers: {
      Cookie: browser.cookies,
      "Content-Type": "application/x-www-form-urlencoded",
      ...headers,
    },
    body: body.toString(),
  });
  const [, address] = (answer.headers.get("Refresh") ?? "").split("0;url=");
  return { ...answer, leads: address === undefined ? null : new URL(address) };
}

/** A person opens the program's address, chooses, and presses Allow. Returns the code. */
export async function allow(
  browser: Browser,
  clientId: string,
  selection: Record<string, string[]> = { rags: ["notes"] },
  changed: Query = {},
): Promise<string> {
  await browser.open(await authorizeAddress(clientId, changed));
  const { leads, body } = await press(browser, formIn(browser.html, selection));
  const code = leads?.searchParams.get("code");
  if (code == null) throw new Error(`no code: ${String(body)}`);
  return code;
}

export type Issued = { access_token: string; refresh_token: string; error_description: string };

export async function token(
  fields: Query,
  headers: Record<string, string> = {},
): Promise<Call & { body: Issued }> {
  const answer = await call("POST", "/token", {
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body: encoded(fields),
  });
  return { ...answer, body: answer.body as Issued };
}

export const redeem = (
  clientId: string,
  code: string,
  changed: Query = {},
  headers: Record<string, string> = {},
) => {
  const parameters = {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    resource: RESOURCE,
  };
  const proof = { redirect_uri: CALLBACK, code_verifier: VERIFIER };
  return token({ ...parameters, ...proof, ...changed }, headers);
};

export const refresh = (clientId: string, refreshToken: string, changed: Query = {}) =>
  token({
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: refreshToken,
    ...changed,
  });

/** A connected program of a fresh registration. */
export async function connected(browser: Browser, selection?: Record<string, string[]>) {
  const clientId = await registered();
  const { body } = await redeem(clientId, await allow(browser, clientId, selection));
  return { clientId, ...body };
}

export const withBearer = (accessToken: string, path: string, body?: object): Promise<Call> =>
  call(body === undefined ? "GET" : "POST", path, {
    headers: {
      Authorization: `Bearer ${accessToken}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** The names of the tools that a program sees, or the status that refuses it. */
export async function toolsOf(accessToken: string): Promise<string[] | number> {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const { status, body } = await withBearer(accessToken, "/mcp", request);
  if (status !== 200) return status;
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
}
