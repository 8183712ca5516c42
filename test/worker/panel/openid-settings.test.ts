import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { unseal } from "../../../src/access/seal.ts";
import { parseConfig } from "../../../src/config.ts";
import { CLIENT, type Wrong } from "../../doubles/openid/openid-double.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { call, signedIn } from "../../support/worker-client.ts";
import {
  SETTINGS,
  HERE,
  admin,
  logged,
  provider,
  save,
  sentAway,
  pathOf,
  signedInAs,
  isSignedIn,
  rows,
  later,
  withProvider,
} from "./openid-world.ts";

withProvider();

test("the secret is asked again for another issuer or client, and never shown", async () => {
  expect((await save({ clientSecret: "", name: "Kept" })).status).toBe(303);
  for (const change of [{ issuer: "https://evil.test" }, { clientId: "another" }]) {
    expect((await save({ clientSecret: "", ...change })).status).toBe(400);
    expect(admin.html).toContain(
      "Client secret is required when the issuer or the client ID changes",
    );
  }
  expect((await save({ issuer: "http://id.example.com" })).status).toBe(400);
  expect(admin.html).toContain("Issuer must be an https URL");
  await admin.open(HERE);
  expect(admin.html).not.toContain(CLIENT.secret.slice(4));
  const [{ sealed_secret: sealed }] = (await rows("select sealed_secret from openid_provider")) as [
    { sealed_secret: string },
  ];
  expect(await unseal(parseConfig({ ...env }), sealed)).toBe(CLIENT.secret);
});

test("programs read and set the provider as the page does", async () => {
  const changes = async () =>
    (await rows("select 1 from audit_events where action = 'sign-in.change' and status = 200"))
      .length;
  const recorded = await changes();
  const panel = await signedIn();
  const { body: before } = await panel.send("GET", "/sign-in");
  expect(before).toMatchObject({ name: "Example", issuer: provider.issuer, enabled: true });
  expect(JSON.stringify(before)).not.toContain("ecret");
  const settings = { ...(before as object), name: "Renamed" };
  expect(await panel.send("PUT", "/sign-in", settings)).toMatchObject({ status: 200 });
  await admin.open(HERE);
  expect(admin.html).toContain('value="Renamed"');
  const elsewhere = { ...settings, issuer: "https://evil.test" };
  for (const body of [elsewhere, { ...settings, domains: [] }, { ...settings, nmae: "x" }]) {
    expect((await panel.send("PUT", "/sign-in", body)).status).toBe(400);
  }
  const ann = await signedInAs();
  const asAnn = await call("GET", "/panel/api/sign-in", { headers: { Cookie: ann.cookies } });
  expect(asAnn.status).toBe(403);
  expect(await changes()).toBe(recorded + 1);
});

test.for([
  [{}, "It knows the client and its secret."],
  [{ metadata: { issuer: "https://evil.test" } }, "wrong issuer: it says https://evil.test"],
  [{ status: 503 }, "it answered 503. Certificates of an authority of your own"],
  [{ status: 429 }, "it answered 429"],
  [{ pushed: true }, "It knows the client and its secret."],
  [{ metadata: { code_challenge_methods_supported: ["plain"] } }, "No PKCE"],
  [{ metadata: { jwks_uri: "https://id.internal/keys" } }, "the host is not a public address"],
  [{ metadata: { scopes_supported: ["openid"] } }, "does not list these scopes: email, profile"],
] as [Wrong, string][])(
  "the test of the settings tells what is wrong: %#",
  async ([wrong, explanation]) => {
    provider.wrong = wrong;
    await admin.post(`${HERE}/test`);
    expect(admin.html).toContain(explanation);
  },
);

test("the test of the settings says that Entra may name no groups", async () => {
  provider.issuer = "https://login.microsoftonline.com/tenant/v2.0";
  await save();
  await admin.post(`${HERE}/test`);
  expect(admin.html).toContain("more than 200");
});

test("the test of the settings knows a wrong client", async () => {
  await save({ clientSecret: "not it" });
  await admin.post(`${HERE}/test`);
  expect(admin.html).toContain("Wrong client");
});

test("a provider that takes pushed requests only is asked so", async () => {
  provider.wrong = { pushed: true };
  const browser = new Browser();
  const address = new URL(await sentAway(browser));
  expect([...address.searchParams.keys()]).toEqual(["client_id", "request_uri"]);
  expect((await browser.open(pathOf(provider.authorize(address.href)))).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
});

test("refused pushed requests stand in the address, unless they are required", async () => {
  const metadata = { pushed_authorization_request_endpoint: `${provider.issuer}/nowhere` };
  provider.wrong = { metadata };
  const browser = new Browser();
  const address = new URL(await sentAway(browser));
  expect(address.searchParams.get("response_type")).toBe("code");
  expect((await browser.open(pathOf(provider.authorize(address.href)))).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
  provider.wrong = { metadata: { ...metadata, require_pushed_authorization_requests: true } };
  await admin.post(`${HERE}/test`);
  expect(admin.html).toContain("Its sign-in address cannot be used");
});

test.for([
  ["access_denied", 401, "you cancelled it there", "unknown: the provider answered access_denied"],
  ["temporarily_unavailable", 422, "Try again in a moment", "answered temporarily_unavailable"],
  ["not_allowed", 401, "an administrator finds the reason", "remove offline_access"],
] as const)(
  "%s is told, and its reason to administrators",
  async ([error, status, explanation, reason]) => {
    const browser = new Browser();
    const back = new URL(provider.authorize(await sentAway(browser)));
    back.searchParams.delete("code");
    back.searchParams.set("error", error);
    expect((await browser.open(pathOf(back))).status).toBe(status);
    expect(browser.text).toContain(explanation);
    await admin.open(HERE);
    expect(admin.text).toContain(reason);
  },
);

test("a member neither sees nor changes the settings", async () => {
  const ann = await signedInAs();
  expect((await ann.open(HERE)).status).toBe(403);
  expect((await ann.post(HERE, SETTINGS)).status).toBe(403);
  expect((await ann.post(`${HERE}/test`)).status).toBe(403);
});

test("no code, token or secret lies in a log, an audit event, a row or a page", async () => {
  provider.refreshes = true;
  const browser = new Browser();
  const address = await sentAway(browser);
  const earlierCookies = browser.cookies;
  const back = provider.authorize(address);
  const { headers } = await browser.open(pathOf(back));
  expect(headers.get("Referrer-Policy")).toBe("strict-origin");
  later(50);
  await isSignedIn(browser);
  const query = new URL(address).searchParams;
  const secrets = [
    ...["state", "nonce"].map((name) => query.get(name) ?? ""),
    ...["code", "state"].map((name) => back.searchParams.get(name) ?? ""),
    ...provider.verifiers,
    CLIENT.secret,
  ];
  expect(secrets.length).toBeGreaterThan(8);
  const tables = [
    "sessions",
    "sign_in_secrets",
    "openid_provider",
    "user_identities",
    "audit_events",
  ];
  const tableRows = await Promise.all(tables.map((table) => rows(`select * from ${table}`)));
  const places = {
    logged,
    stored: tableRows,
    html: browser.html,
    kept: earlierCookies,
    cookies: browser.cookies,
  };
  for (const [place, content] of Object.entries(places)) {
    const text = JSON.stringify(content);
    expect({ place, found: secrets.filter((secret) => text.includes(secret)) }).toEqual({
      place,
      found: [],
    });
  }
});
