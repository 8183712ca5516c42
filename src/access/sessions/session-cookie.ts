import { parse } from "hono/utils/cookie";

import { sha256Hex } from "../../core/hash.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";

/** For so long a person may take at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

/** `__Host-`: no sibling domain can set it. */
const nameOf = (what: string, secure: boolean) => `${secure ? "__Host-" : ""}quarry_${what}`;

const cookieIn = (header: string | null, name: string): string | null =>
  parse(header ?? "", name)[name] ?? null;

export const sessionSecretIn = (cookieHeader: string | null, secure: boolean) =>
  cookieIn(cookieHeader, nameOf("session", secure));

/** The hash that the session is stored under; null when the header names no session. */
export async function sessionHashIn(
  cookieHeader: string | null,
  secure: boolean,
): Promise<string | null> {
  const secret = sessionSecretIn(cookieHeader, secure);
  return secret === null || secret === "" ? null : await sha256Hex(secret);
}

const attributesOf = (site: "Strict" | "Lax", secure: boolean) =>
  `HttpOnly; SameSite=${site}; Path=/${secure ? "; Secure" : ""}`;

/** Without an expiry: the server ends sessions. */
export const sessionCookie = (secret: string, secure: boolean) =>
  `${nameOf("session", secure)}=${secret}; ${attributesOf("Strict", secure)}`;

export const expiredSessionCookie = (secure: boolean) => `${sessionCookie("", secure)}; Max-Age=0`;

/** The sign-ins that one browser may have begun: all their cookies go along with each request. */
const MAX_FLOWS = 4;

const FLOW = "openid_";

/** By its `state`, which the cookie's name does not tell: each tab has a sign-in of its own. */
const flowName = async (state: string, secure: boolean) =>
  nameOf(FLOW + (await sha256Hex(state)).slice(0, FLOW_ID_LENGTH), secure);
const FLOW_ID_LENGTH = 16;

/** Lax: the person comes back from another site, with the provider's answer in the address. */
const setFlow = (name: string, kept: string, secure: boolean) =>
  `${name}=${kept}; ${attributesOf("Lax", secure)}; Max-Age=${kept === "" ? 0 : FLOW_MS / SECOND_MS}`;

/** Sign-ins that the browser has begun and not finished: names of cookies, the earliest first. */
export const begunFlows = (cookieHeader: string | null, secure: boolean): string[] =>
  // The order of browsers: https://www.rfc-editor.org/rfc/rfc6265#section-5.4
  Object.keys(parse(cookieHeader ?? "")).filter((name) => name.startsWith(nameOf(FLOW, secure)));

/** What keeps a begun sign-in in the browser, and removes the earliest where there are too many. */
export async function flowCookies(
  cookieHeader: string | null,
  { state, kept }: { state: string; kept: string },
  secure: boolean,
): Promise<string[]> {
  const begun = begunFlows(cookieHeader, secure);
  const excess = begun.slice(0, Math.max(0, begun.length + 1 - MAX_FLOWS));
  const removed = excess.map((name) => setFlow(name, "", secure));
  return [...removed, setFlow(await flowName(state, secure), kept, secure)];
}

export const endedFlowCookie = async (state: string, secure: boolean) =>
  setFlow(await flowName(state, secure), "", secure);

export const flowIn = async (cookieHeader: string | null, state: string, secure: boolean) =>
  cookieIn(cookieHeader, await flowName(state, secure));
