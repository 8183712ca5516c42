import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, vi } from "vitest";

import { CLIENT, OpenidDouble } from "../../doubles/openid/openid-double.ts";
import { Browser } from "../../support/browser-without-script.ts";

export const ANN = {
  sub: "ann-1",
  email: "ann@example.com",
  email_verified: true,
  groups: ["staff"],
};
export const SETTINGS = {
  name: "Example",
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  domains: "example.com",
  adminClaim: "groups",
  adminValues: "admins",
  enabled: "on",
  scopes: "openid email profile",
  groupsClaim: "groups",
  verifiedClaim: "email_verified",
  clientAuthentication: "basic",
};
export const HERE = "/panel/settings/sign-in";
export const MINUTE_MS = 60_000;

export const admin = new Browser();
export const logged: string[] = [];
export let provider: OpenidDouble;
let issuers = 0;

/** A provider of its own for every test, as the service keeps what it learns of one. */
export function withProvider(): void {
  beforeEach(async () => {
    issuers += 1;
    provider = new OpenidDouble(`https://id-${issuers}.example.com`);
    provider.person = { ...ANN };
    await provider.rotateKeys();
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, request) => {
      const address = input instanceof Request ? input.url : String(input);
      if (!address.startsWith(provider.issuer)) throw new TypeError(`no route to ${address}`);
      return await provider.fetch(address, request ?? {});
    });
    logged.length = 0;
    for (const level of ["info", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((line: string) => void logged.push(line));
    }
    await env.DB.prepare("delete from users where email <> 'admin@localhost'").run();
    await env.DB.prepare("delete from user_identities").run();
    // Another file may have ended the session: tests share one Worker.
    if (!(await isSignedIn(admin))) await admin.signIn();
    await save();
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

export const save = async (changes: Record<string, string> = {}) =>
  await admin.post(HERE, { ...SETTINGS, issuer: provider.issuer, ...changes });

/** Begins a sign-in: the address at the provider. */
export async function sentAway(browser: Browser, next = "/panel/account"): Promise<string> {
  const start = await browser.open(`/panel/sign-in/openid?next=${encodeURIComponent(next)}`);
  expect({ status: start.status, html: browser.html }).toMatchObject({ status: 303 });
  return start.headers.get("Location") ?? "";
}

export const pathOf = ({ pathname, search }: URL) => pathname + search;

/** Signs in as far as the address that the provider sends the browser back to. */
export const sentBack = async (browser: Browser) =>
  pathOf(provider.authorize(await sentAway(browser)));

export async function signsIn(browser: Browser) {
  const back = await sentBack(browser);
  const { status, headers } = await browser.open(back);
  return { status, headers, back, html: browser.html };
}

export async function signedInAs(person: object = ANN): Promise<Browser> {
  provider.person = { ...person };
  const browser = new Browser();
  expect(await signsIn(browser)).toMatchObject({ status: 200 });
  return browser;
}

export const isSignedIn = async (browser: Browser) =>
  (await browser.open("/panel/account")).status === 200;

export const rows = async (sql: string) => (await env.DB.prepare(sql).all()).results;

export const people = async () =>
  await rows(`select u.email, u.role, i.subject, i.groups from users u
    join user_identities i on i.user_id = u.id order by u.email`);

/** A program that each person of the provider, or one of them, has connected. */
export const connectProgram = (email = "%") =>
  env.DB.prepare(
    `insert or ignore into tokens (id, name, hash, created_at, granted_by)
     select 'connected', 'program', 'none', 0, i.user_id
     from user_identities i join users u on u.id = i.user_id where u.email like ?`,
  )
    .bind(email)
    .run();

export const later = (minutes: number) =>
  vi.useFakeTimers({ now: Date.now() + minutes * MINUTE_MS, toFake: ["Date"] });
