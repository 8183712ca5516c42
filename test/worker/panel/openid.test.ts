import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { CLIENT, OpenidDouble } from "../../doubles/openid/openid-double.ts";
import { Browser } from "../../support/browser-without-script.ts";

const ANN = {
  sub: "ann-1",
  email: "ann@example.com",
  email_verified: true,
  groups: ["staff", "hr"],
};
const SETTINGS = {
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

const admin = new Browser();
let provider: OpenidDouble;
let issuers = 0;

/** A provider of its own for every test, as the service keeps what it learns of one. */
beforeEach(async () => {
  issuers += 1;
  provider = new OpenidDouble(`https://id-${issuers}.example.com`);
  provider.person = { ...ANN };
  await provider.rotateKeys();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (asked, request) => {
    const address = asked instanceof Request ? asked.url : String(asked);
    if (!address.startsWith(provider.issuer)) throw new TypeError(`no route to ${address}`);
    return await provider.fetch(address, request ?? {});
  });
  await env.DB.prepare("delete from users where email like '%@example.com'").run();
  if (admin.cookies === "") await admin.signIn();
  await save();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const save = async (changes: Record<string, string> = {}) =>
  await admin.post("/panel/settings/sign-in", {
    ...SETTINGS,
    issuer: provider.issuer,
    ...changes,
  });

/** Signs in as far as the address that the provider sends the browser back to. */
async function sentBack(browser: Browser, next = "/panel/account"): Promise<string> {
  const begun = await browser.open(`/panel/sign-in/openid?next=${encodeURIComponent(next)}`);
  expect({ status: begun.status, html: browser.html }).toMatchObject({ status: 303 });
  const { pathname, search } = provider.authorize(begun.headers.get("Location") ?? "");
  return pathname + search;
}

async function signsIn(browser: Browser) {
  const { status, headers } = await browser.open(await sentBack(browser));
  return { status, refresh: headers.get("Refresh"), html: browser.html };
}

const userNamed = async (email: string) =>
  await env.DB.prepare(
    `select u.role, i.groups from users u join user_identities i on i.user_id = u.id
     where u.email = ?`,
  )
    .bind(email)
    .first();

test("whoever has an address at the domain signs in and comes back where they wanted", async () => {
  const browser = new Browser();
  await browser.open("/panel/sign-in?next=%2Fpanel%2Faccount");
  expect(browser.html).toContain("Continue with Example");
  expect(browser.html).toContain('href="/panel/sign-in/openid?next=%2Fpanel%2Faccount"');
  const { status, refresh } = await signsIn(browser);
  expect({ status, refresh }).toEqual({ status: 200, refresh: "0;url=/panel/account" });
  await browser.open("/panel/account");
  expect(browser.html).toContain("ann@example.com");
  expect(await userNamed("ann@example.com")).toEqual({ role: "member", groups: '["staff","hr"]' });
});
