import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sessionHashIn } from "../../../src/access/sessions/session-cookie.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { touchSession } from "../../../src/db/access/session-store.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { Browser } from "../../support/browser-without-script.ts";
import { panelWith } from "../../support/panel-with.ts";
import { call } from "../../support/worker-client.ts";
import {
  ANN,
  MINUTE_MS,
  admin,
  connectProgram,
  provider,
  save,
  sentAway,
  signsIn,
  signedInAs,
  isSignedIn,
  rows,
  people,
  later,
  logged,
  withProvider,
} from "./openid-world.ts";

withProvider();

test("an address joins its user once; then the account is known by its subject", async () => {
  await admin.post("/panel/settings", {
    email: "ann@example.com",
    password: "quiet amber lantern",
    role: "admin",
  });
  await save({ adminClaim: "", adminValues: "" });
  await signedInAs();
  const person = { email: "ann@example.com", role: "admin", subject: "ann-1", groups: '["staff"]' };
  expect(await people()).toEqual([person]);
  await signedInAs({ ...ANN, email: "ann.lee@example.com", groups: ["hr"] });
  const moved = { ...person, email: "ann.lee@example.com", groups: '["hr"]' };
  expect(await people()).toEqual([moved]);
  provider.person = { ...ANN, sub: "ann-2", email: "ann.lee@example.com" };
  const heir = await signsIn(new Browser());
  expect(heir.status).toBe(409);
  expect(heir.html).toContain("Your address belongs to another account here");
  expect(logged.join()).toContain('"reason":"address-taken"');
  expect(await rows("select target from audit_events where status = 409")).toEqual([
    { target: "unknown: address-taken" },
  ]);
  expect(await people()).toEqual([moved]);
});

test("a claim lets in and makes administrators; the last one stays", async () => {
  await save({ domains: "", claim: "org.team", claimValues: "red\nblue" });
  const bob = { sub: "bob-1", email: "bob@other.test", email_verified: true };
  await signedInAs({ ...bob, org: { team: "blue" }, groups: ["admins"] });
  expect(await people()).toMatchObject([{ email: "bob@other.test", role: "admin" }]);
  await env.DB.prepare("update users set role = 'member' where email = 'admin@localhost'").run();
  await signedInAs({ ...bob, org: { team: "blue" }, groups: [] });
  expect(await people()).toMatchObject([{ email: "bob@other.test", role: "admin" }]);
  await env.DB.prepare("update users set role = 'admin' where email = 'admin@localhost'").run();
  await signedInAs({ ...bob, org: { team: "blue" }, groups: [] });
  expect(await people()).toMatchObject([{ email: "bob@other.test", role: "member" }]);
  provider.person = { ...bob, org: { team: "green" } };
  expect((await signsIn(new Browser())).status).toBe(403);
});

test("groups that the provider leaves out let nobody in and make no administrator", async () => {
  await signedInAs({ ...ANN, groups: ["admins"] });
  const many = { ...ANN, groups: undefined, _claim_names: { groups: "src1" } };
  await signedInAs(many);
  expect(await people()).toMatchObject([{ role: "member", groups: "[]" }]);
  await save({ domains: "", claim: "groups", claimValues: "staff" });
  const page = await signsIn(new Browser());
  expect([page.status, page.html]).toEqual([403, expect.stringContaining("too many groups")]);
});

test("claims that the ID token lacks are read from userinfo", async () => {
  provider.person = { sub: "ann-1" };
  provider.wrong = { userinfo: { ...ANN, groups: ["from", "there"] } };
  expect((await signsIn(new Browser())).status).toBe(200);
  expect(await people()).toMatchObject([{ groups: '["from","there"]' }]);
});

test("without a refresh token a session lasts an hour, then the provider is asked", async () => {
  const browser = await signedInAs();
  later(59);
  expect(await isSignedIn(browser)).toBe(true);
  later(1);
  expect(await isSignedIn(browser)).toBe(false);
  const response = await browser.open("/panel/sign-in?next=%2Fpanel%2Faccount");
  expect(response.headers.get("Location")).toBe("/panel/sign-in/openid?next=%2Fpanel%2Faccount");
  expect((await call("GET", "/api/rags", { headers: { Cookie: browser.cookies } })).status).toBe(
    401,
  );
  expect((await signsIn(browser)).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
  expect(await rows("select 1 from sessions where vouched_until is not null")).toHaveLength(1);
  later(61);
  await connectProgram();
  provider.person = { ...ANN, email: "ann@elsewhere.test" };
  expect((await signsIn(browser)).status).toBe(403);
  expect(await rows("select id from tokens where id = 'connected'")).toEqual([]);
  expect((await browser.open("/panel/sign-in")).status).toBe(200);
});

test("the sign-in page is shown to whoever opens it, or came back without an answer", async () => {
  const browser = await signedInAs();
  later(61);
  const next = "/panel/sign-in?next=%2Fpanel%2Faccount";
  expect((await browser.open("/panel/sign-in")).status).toBe(200);
  expect(browser.html).toContain('type="password"');
  expect((await browser.open(next)).status).toBe(303);
  await sentAway(browser);
  expect((await browser.open(next)).status).toBe(200);
  expect(browser.html).toContain("Continue with Example");
});

test("after a refusal and after a sign-out the provider asks for the account", async () => {
  const browser = new Browser();
  provider.person = { ...ANN, email: "ann@elsewhere.test" };
  expect((await signsIn(browser)).status).toBe(403);
  expect(browser.html).toContain("perhaps not at Example");
  provider.person = { ...ANN };
  expect((await signsIn(browser)).status).toBe(200);
  expect(provider.prompt).toBe("select_account");
  expect((await signsIn(browser)).status).toBe(200);
  expect(provider.prompt).toBeNull();
  await browser.post("/panel/sign-out");
  expect(browser.text).toContain("You are signed out here, but perhaps not at Example");
  const response = await browser.open("/panel/sign-in/openid/end");
  expect(response.headers.get("Location")).toBe(`${provider.issuer}/end?client_id=quarry`);
  expect((await signsIn(browser)).status).toBe(200);
  expect(provider.prompt).toBe("select_account");
  const otherBrowser = await new Browser().signIn();
  await otherBrowser.post("/panel/sign-out");
  expect(otherBrowser.text).not.toContain("perhaps not");
});

test.each([
  ["that knows no such prompt", false],
  ["that refuses it in a pushed request", true],
])("a provider %s is asked to sign the person in anew", async (_about, pushed) => {
  provider.wrong = { prompts: ["login", "consent"], pushed };
  await save({ consent: "on" });
  const browser = await signedInAs();
  expect(provider.prompt).toBe("consent");
  await browser.post("/panel/sign-out");
  const refusal = pushed ? browser.open("/panel/sign-in/openid") : signsIn(browser);
  expect((await refusal).status).toBe(401);
  expect(provider.prompt).toBe("select_account consent");
  expect((await signsIn(browser)).status).toBe(200);
  expect(provider.prompt).toBe("login consent");
});

test("after a sign-out the account is asked for, though the provider was down before", async () => {
  provider.wrong = { pushed: true };
  const browser = await signedInAs();
  await browser.post("/panel/sign-out");
  provider.wrong = { pushed: true, status: 503 };
  expect((await browser.open("/panel/sign-in/openid")).status).toBe(422);
  provider.wrong = { pushed: true };
  expect((await signsIn(browser)).status).toBe(200);
  expect(provider.prompt).toBe("select_account");
});

test("a provider without an address for signing out is named", async () => {
  provider.wrong = { metadata: { end_session_endpoint: undefined } };
  const browser = new Browser();
  expect((await browser.open("/panel/sign-in/openid/end")).status).toBe(422);
  expect(browser.text).toContain("Example has no address for signing out");
});

test("with a refresh token the session goes on while the provider says so", async () => {
  provider.refreshes = true;
  const browser = await signedInAs();
  for (const _ of [1, 2, 3]) {
    later(50);
    expect(await isSignedIn(browser)).toBe(true);
  }
  const elsewhere = await signedInAs();
  provider.person = { ...ANN, groups: ["admins"] };
  later(20);
  expect(await isSignedIn(browser)).toBe(true);
  expect(await people()).toMatchObject([{ role: "admin", groups: '["admins"]' }]);
  expect(await isSignedIn(elsewhere)).toBe(false);
  provider.wrong = { status: 503 };
  later(59);
  expect(await isSignedIn(browser)).toBe(true);
  later(2);
  expect(await isSignedIn(browser)).toBe(false);
  provider.wrong = {};
  provider.person = { ...ANN, email: "ann@elsewhere.test" };
  later(2);
  expect(await isSignedIn(browser)).toBe(false);
  expect(await rows("select * from sessions where vouched_until is not null")).toEqual([]);
  const events = await rows(
    "select status, changes from audit_events where action = 'session.recheck'",
  );
  const changes = '[{"field":"role","from":"member","to":"admin"}]';
  expect(events).toEqual([
    { status: 200, changes },
    { status: 401, changes: "[]" },
  ]);
});

test("of two sessions that bring a new role at once, one stays", async () => {
  provider.refreshes = true;
  const browsers = [await signedInAs(), await signedInAs()];
  provider.person = { ...ANN, groups: ["admins"] };
  later(20);
  expect(await Promise.all(browsers.map(isSignedIn))).toContain(true);
});

test("requests at once use a refresh token once", async () => {
  provider.refreshes = true;
  const browser = await signedInAs();
  later(50);
  const headers = { Cookie: browser.cookies };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => call("GET", "/panel/account", { headers })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(provider.requests.filter((path) => path === "/token")).toHaveLength(2);
  expect(await isSignedIn(browser)).toBe(true);
});

test("another client ends the sessions of the one before, but not the administrator's", async () => {
  const ann = await signedInAs();
  await save({ name: "Renamed" });
  expect(await isSignedIn(ann)).toBe(true);
  await save({ clientId: "another" });
  expect(await isSignedIn(ann)).toBe(false);
  expect(await isSignedIn(admin)).toBe(true);
});

const PASSWORD = {
  method: "POST",
  type: "application/x-www-form-urlencoded",
  body: "email=admin@localhost&password=quarry",
};

test("passwords are off once an administrator has signed in with the provider", async () => {
  const off = panelWith({ PASSWORD_SIGN_IN: "off" });
  expect((await off("/panel/sign-in", PASSWORD)).status).toBe(303);
  await signedInAs({ ...ANN, groups: ["admins"] });
  expect((await off("/panel/sign-in", PASSWORD)).status).toBe(403);
  const { text: page } = await off("/panel/sign-in");
  expect(page).toContain("Continue with Example");
  expect(page).not.toContain('type="password"');
  expect((await panelWith()("/panel/sign-in", PASSWORD)).status).toBe(303);
  await save({ enabled: "" });
  expect((await off("/panel/sign-in", PASSWORD)).status).toBe(303);
});

test("our second factor is not asked of whoever the provider vouches for", async () => {
  const { cookies: cookie } = await signedInAs();
  const strict = panelWith({ REQUIRE_TOTP: "true" });
  expect((await strict("/panel/account", { cookie })).status).toBe(200);
  expect((await strict("/panel/account", { cookie: admin.cookies })).status).toBe(303);
});

test("a password sign-in ends the browser's earlier session, late uses of it too", async () => {
  const browser = await signedInAs();
  const earlier = browser.cookies;
  await browser.signIn();
  expect(await isSignedIn(browser)).toBe(true);
  const hash = (await sessionHashIn(earlier, false)) ?? "";
  await touchSession(openDatabase(env.DB), hash, Date.now());
  const { status } = await call("GET", "/panel/account", { headers: { Cookie: earlier } });
  expect(status).toBe(303);
});

test("an administrator's link signs in once, by its button, within ten minutes", async () => {
  const add = async (code: string, email: string) =>
    await env.DB.prepare(
      `insert into sign_in_secrets select ?1, id, ?2 from users where email = ?3`,
    )
      .bind(await sha256Hex(code), Date.now() + 10 * MINUTE_MS, email)
      .run();
  await signedInAs();
  await add("the code", "admin@localhost");
  await add("a member's code", "ann@example.com");
  const browser = new Browser();
  expect((await browser.open("/panel/sign-in/link?code=the+code")).status).toBe(200);
  expect(browser.html).toContain("admin@localhost");
  expect((await browser.post("/panel/sign-in/link", { code: "a member's code" })).status).toBe(401);
  expect((await browser.post("/panel/sign-in/link", { code: "" })).status).toBe(401);
  expect((await browser.post("/panel/sign-in/link", { code: "the code" })).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
  expect((await browser.post("/panel/sign-in/link", { code: "the code" })).status).toBe(401);
  later(61);
  expect(await isSignedIn(browser)).toBe(false);
  await add("too late", "admin@localhost");
  later(11);
  expect((await browser.open("/panel/sign-in/link?code=too+late")).status).toBe(401);
});
