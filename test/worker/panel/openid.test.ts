import { expect, test, vi } from "vitest";

import { CLIENT, type Wrong } from "../../doubles/openid/openid-double.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { eventually } from "../../support/eventually.ts";
import { call, ORIGIN } from "../../support/worker-client.ts";
import {
  ANN,
  MINUTE_MS,
  provider,
  save,
  sentAway,
  pathOf,
  sentBack,
  signsIn,
  signedInAs,
  isSignedIn,
  rows,
  people,
  withProvider,
} from "./openid-world.ts";

withProvider();

test("whoever has an address at the domain signs in and comes back where they wanted", async () => {
  const browser = new Browser();
  await browser.open("/panel/sign-in?next=%2Fpanel%2Faccount");
  expect(browser.html).toContain("Continue with Example");
  expect(browser.html).toContain('href="/panel/sign-in/openid?next=%2Fpanel%2Faccount"');
  const { status, headers } = await signsIn(browser);
  expect({ status, refresh: headers.get("Refresh") }).toEqual({
    status: 200,
    refresh: "0;url=/panel/account",
  });
  await browser.open("/panel/account");
  expect(browser.html).toContain("ann@example.com");
  const ann = { email: "ann@example.com", role: "member", subject: "ann-1", groups: '["staff"]' };
  expect(await people()).toEqual([ann]);
});

/** Faults of a provider, or of a person; each leaves no session and no user. */
const WRONG: Record<string, { wrong?: Wrong; person?: object; status?: number }> = {
  "another nonce": { wrong: { claims: { nonce: "another" } } },
  "no nonce": { wrong: { claims: { nonce: undefined } } },
  "another audience": { wrong: { claims: { aud: "another" } } },
  "a second audience": { wrong: { claims: { aud: [CLIENT.id, "another"] } } },
  "another party": { wrong: { claims: { aud: [CLIENT.id, "a"], azp: "a" } } },
  "another issuer": { wrong: { claims: { iss: "https://evil.test" } } },
  "an expired token": { wrong: { claims: { exp: 1_700_000_000 } } },
  "a token of tomorrow": { wrong: { claims: { nbf: 4_000_000_000 } } },
  "no subject": { wrong: { claims: { sub: undefined } } },
  "another's signature": { wrong: { signs: "with another key" } },
  "the client's signature": { wrong: { signs: "with the client's secret" } },
  "no signature": {
    wrong: { signs: "not", metadata: { id_token_signing_alg_values_supported: ["none"] } },
  },
  "an unknown key": { wrong: { header: { kid: "unknown" } } },
  "no ID token": { wrong: { tokens: { id_token: undefined } } },
  "another's userinfo": {
    person: { sub: "ann-1" },
    wrong: { userinfo: { ...ANN, sub: "bob-1" } },
  },
  "a redirect to elsewhere": { wrong: { status: 302 } },
  "no answer": { wrong: { status: 503 }, status: 422 },
  "an unverified address": { person: { ...ANN, email_verified: false }, status: 403 },
  "an address nobody verified": { person: { ...ANN, email_verified: undefined }, status: 403 },
  "an address verified as a text": { person: { ...ANN, email_verified: "false" }, status: 403 },
  "another address verified": {
    person: { sub: "ann-1", email: "ann@example.com" },
    wrong: { userinfo: { email: "eve@evil.test", email_verified: true } },
    status: 403,
  },
  "no address": { person: { ...ANN, email: undefined }, status: 403 },
  "an address that looks like another": {
    person: { ...ANN, email: "mar\u212A@example.com" },
    status: 403,
  },
  "another domain": { person: { ...ANN, email: "ann@notexample.com" }, status: 403 },
  "a domain below": { person: { ...ANN, email: "ann@a.example.com" }, status: 403 },
  "a domain in front": { person: { ...ANN, email: "ann@example.com.evil.test" }, status: 403 },
  "two domains": { person: { ...ANN, email: "ann@example.com@evil.test" }, status: 403 },
};

/** Sign-ins that the audit trail says were refused so. */
const refusals = async (status: number) => {
  const events = await rows(
    "select status, count from audit_events where action = 'session.openid'",
  );
  return events.reduce(
    (sum, event) => sum + (event["status"] === status ? Number(event["count"]) : 0),
    0,
  );
};

test.for(Object.entries(WRONG))("no session for %s", async ([, example]) => {
  const browser = new Browser();
  const before = await refusals(example.status ?? 401);
  const back = await sentBack(browser);
  provider.person = { ...(example.person ?? ANN) };
  provider.wrong = example.wrong ?? {};
  const { status, headers } = await browser.open(back);
  expect(status).toBe(example.status ?? 401);
  expect(headers.get("Refresh")).toBeNull();
  expect(browser.html).toContain('role="alert"');
  expect(browser.cookies).not.toContain("session");
  expect(await people()).toEqual([]);
  expect(await rows("select * from users where email like '%example%'")).toEqual([]);
  await eventually(async () => expect(await refusals(status)).toBe(before + 1));
});

test.for([
  [401, { metadata: { issuer: "https://evil.test" } }],
  [401, { metadata: { authorization_endpoint: "javascript:alert(1)" } }],
  [422, { status: 503 }],
] as [number, Wrong][])("%s: nobody is sent away to a wrong provider", async ([status, wrong]) => {
  provider.wrong = wrong;
  const browser = new Browser();
  expect((await browser.open("/panel/sign-in/openid")).status).toBe(status);
  expect(browser.html).toContain("Continue with Example");
});

test("userinfo that is refused keeps nobody out for want of groups alone", async () => {
  // Entra and AD FS refuse tokens for another API.
  provider.refusesUserinfo = true;
  await save({ adminClaim: "", adminValues: "" });
  provider.person = { ...ANN, email: undefined };
  expect((await signsIn(new Browser())).status).toBe(401);
  await signedInAs({ ...ANN, groups: undefined });
});

test("the answer to another beginning, or to a used one, opens nothing", async () => {
  provider.wrong = { codesLast: true };
  const [ann, eve] = [new Browser(), new Browser()];
  const back = await sentBack(ann);
  const evil = await sentBack(eve);
  const without = back.replace(/state=[^&]*/, "");
  for (const [browser, path] of [
    [new Browser(), back],
    [eve, back],
  ] as const) {
    const { status } = await browser.open(path);
    expect({ path, status }).toEqual({ path, status: 400 });
    expect(browser.cookies).not.toContain("session");
  }
  const cookies = ann.cookies;
  expect((await call("GET", without, { headers: { Cookie: cookies } })).status).toBe(400);
  expect((await call("GET", evil, { headers: { Cookie: cookies } })).status).toBe(400);
  expect((await call("GET", back, { headers: { Cookie: cookies } })).status).toBe(200);
  const repeat = await call("GET", back, { headers: { Cookie: cookies } });
  expect(repeat.status).toBe(400);
  expect(String(repeat.headers.get("Set-Cookie"))).not.toContain("session");
});

test("two tabs that sign in at once both arrive, and leave one session", async () => {
  const browser = new Browser();
  const [first, second] = [await sentBack(browser), await sentBack(browser)];
  for (const back of [second, first]) {
    expect(await browser.open(back)).toMatchObject({ status: 200 });
    expect(await isSignedIn(browser)).toBe(true);
  }
  expect(browser.cookies).not.toContain("openid");
  expect(await rows("select 1 from sessions where vouched_until is not null")).toHaveLength(1);
});

test("a browser keeps the latest sign-ins that it began", async () => {
  const browser = new Browser();
  const backs: string[] = [];
  for (let count = 0; count < 6; count++) backs.push(await sentBack(browser));
  expect(browser.cookies.split("openid").length - 1).toBe(4);
  expect((await browser.open(backs[0] ?? "")).status).toBe(400);
  expect((await browser.open(backs[5] ?? "")).status).toBe(200);
});

test("an answer that fails leads somebody who is signed in on to the panel", async () => {
  const browser = await signedInAs();
  const later = new URL(provider.authorize(await sentAway(browser)));
  later.searchParams.delete("code");
  // Keycloak's answer in a tab that is older than a sign-in in another one.
  later.searchParams.set("error", "temporarily_unavailable");
  const { back } = await signsIn(browser);
  for (const path of [back, pathOf(later), pathOf(later)]) {
    const { status, headers } = await browser.open(path);
    expect({ status, leads: headers.get("Location") }).toEqual({ status: 303, leads: "/panel" });
  }
});

test("an answer from the provider's site is asked for once more, with the session", async () => {
  const browser = new Browser();
  const back = await sentBack(browser);
  const headers = { Cookie: browser.cookies, "Sec-Fetch-Site": "cross-site" };
  const first = await call("GET", back, { headers });
  expect(first.headers.get("Refresh")).toBe(`0;url=${back}`);
  expect(first.headers.get("Referrer-Policy")).toBe("strict-origin");
  expect(first.headers.get("Set-Cookie")).toBeNull();
  expect((await browser.open(back)).status).toBe(200);
});

test("answers to nobody are not recorded, also where no provider is offered", async () => {
  await save({ enabled: "" });
  const recorded = async () => (await rows("select 1 from audit_events")).length;
  const before = await recorded();
  const { status } = await new Browser().open("/panel/sign-in/openid/callback?code=x&state=y");
  expect({ status, recorded: await recorded() }).toEqual({ status: 404, recorded: before });
});

test("a beginning is good for ten minutes", async () => {
  const browser = new Browser();
  const back = await sentBack(browser);
  vi.useFakeTimers({ now: Date.now() + 10 * MINUTE_MS + 1, toFake: ["Date"] });
  expect((await browser.open(back)).status).toBe(400);
});

test("a code of somebody else's sign-in does not pass as one's own", async () => {
  const [ann, eve] = [new Browser(), new Browser()];
  const stolen = new URL(await sentBack(ann), ORIGIN).searchParams.get("code") ?? "";
  const own = new URL(await sentBack(eve), ORIGIN);
  own.searchParams.set("code", stolen);
  expect((await eve.open(pathOf(own))).status).toBe(401);
  const redirect = new URL(await sentBack(eve), ORIGIN);
  redirect.searchParams.set("iss", "https://evil.test");
  expect((await eve.open(pathOf(redirect))).status).toBe(401);
});

test("the provider's refusal is told without its words", async () => {
  const browser = new Browser();
  const back = new URL(provider.authorize(await sentAway(browser)));
  back.searchParams.delete("code");
  back.searchParams.set("error", "access_denied");
  back.searchParams.set("error_description", "Call 555-0100 to unlock");
  expect((await browser.open(pathOf(back))).status).toBe(401);
  expect(browser.html).toContain("The provider did not sign you in");
  expect(browser.html).not.toContain("555-0100");
});

test("new keys are read when a token names one, at most once a minute", async () => {
  await signedInAs();
  const keysAsked = () => provider.requests.filter((path) => path === "/keys").length;
  await provider.rotateKeys();
  for (const _ of [1, 2]) expect((await signsIn(new Browser())).status).toBe(401);
  expect(keysAsked()).toBe(1);
  vi.useFakeTimers({ now: Date.now() + MINUTE_MS + 1, toFake: ["Date"] });
  await signedInAs();
  expect(keysAsked()).toBe(2);
});
