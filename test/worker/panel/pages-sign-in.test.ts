import { Secret, TOTP } from "otpauth/slim";
import { beforeAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { call, signedIn } from "../../support/worker-client.ts";

const MEMBER = { email: "member@localhost", password: "quiet amber lantern" };

/** Signed in once: hashing passwords is slow on purpose. */
const member = new Browser();

beforeAll(async () => {
  const admin = await signedIn();
  await admin.send("POST", "/users", { ...MEMBER, role: "member" });
  await member.signIn(MEMBER.email, MEMBER.password);
});

test("whoever is not signed in is asked to, and comes back to where they wanted", async () => {
  const browser = new Browser();
  const response = await browser.open("/panel/account?tab=x");
  expect(response.status).toBe(303);
  expect(response.headers.get("Location")).toBe("/panel/sign-in?next=%2Fpanel%2Faccount%3Ftab%3Dx");
  await browser.open(response.headers.get("Location") ?? "");
  expect(browser.html).toContain('name="next" value="/panel/account?tab=x"');
  const form = { ...MEMBER, next: "/panel/account?tab=x" };
  expect((await browser.post("/panel/sign-in", form)).location).toBe("/panel/account?tab=x");
  expect(browser.html).toContain("member@localhost");
});

test("signing in leads to the panel only, wherever the address points", async () => {
  for (const next of [
    "//evil.test/panel",
    "https://evil.test/panel",
    "/api/docs",
    "/\\evil.test",
  ]) {
    const { location } = await new Browser().post("/panel/sign-in", { ...MEMBER, next });
    expect(location).toBe("/panel");
  }
});

test("a wrong password leaves the form as it was typed, without the password", async () => {
  const browser = new Browser();
  const form = { email: '"><script>alert(1)</script>', password: "not it at all" };
  const { status, location } = await browser.post("/panel/sign-in", form);
  expect({ status, location }).toEqual({ status: 401, location: null });
  expect(browser.html).toContain("The e-mail address or the password is wrong.");
  expect(browser.html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
  expect(browser.html).not.toContain("not it at all");
  expect(browser.html).not.toContain("<script>alert");
});

test("a form from another site changes nothing", async () => {
  for (const headers of [{ Origin: "https://evil.test" }, {}] as Record<string, string>[]) {
    const { status } = await member.post("/panel/sign-out", {}, headers);
    expect(status).toBe(403);
  }
  expect((await member.open("/panel/account")).status).toBe(200);
});

test("a page has a strict policy, nothing inline, and is never stored", async () => {
  const { headers } = await member.open("/panel/account");
  const policy = headers.get("Content-Security-Policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  expect(headers.get("X-Frame-Options")).toBe("DENY");
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
  expect(member.html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
});

test("what a page loads has a hashed name and is kept for a year", async () => {
  const browser = new Browser();
  await browser.open("/panel/sign-in");
  const names = [...browser.html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
    ([, name = ""]) => name,
  );
  expect(names).toHaveLength(3);
  for (const name of names) {
    const { status, headers } = await call("GET", name);
    expect(status).toBe(200);
    expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  }
});

test("the password is changed, and messages stand at their fields", async () => {
  const path = "/panel/account/password";
  await member.post(path, { currentPassword: MEMBER.password, newPassword: "short" });
  expect(member.html).toContain("New password must have at least 12 characters");
  await member.post(path, { currentPassword: "wrong", newPassword: "slow copper kettle" });
  expect(member.html).toContain("Current password is wrong");
  const changed = { currentPassword: MEMBER.password, newPassword: "slow copper kettle" };
  expect((await member.post(path, changed)).location).toBe("/panel/account");
  expect(member.html).toContain("The password is changed.");
  await member.open("/panel/account");
  expect(member.html).not.toContain("The password is changed.");
  const back = { currentPassword: "slow copper kettle", newPassword: MEMBER.password };
  await member.post(path, back);
});

test("a page that is not there says so, as a page", async () => {
  const { status } = await member.open("/panel/nothing-here");
  expect(status).toBe(404);
  expect(member.html).toContain("There is no such page.");
});

test("the colours are chosen without a script, and come back to the page", async () => {
  const headers = { Origin: "http://localhost", Referer: "http://localhost/panel/account" };
  await member.open("/panel/account");
  expect(member.html).toMatch(
    /"link where-light"[^>]*value="dark".*"link where-dark"[^>]*value="light"/s,
  );
  const { location } = await member.post("/panel/theme", { theme: "dark" }, headers);
  expect(location).toBe("/panel/account");
  expect(member.html).toContain('<html lang="en" data-theme="dark">');
  expect(member.html).not.toContain('value="dark"');
});

test("a second factor is enrolled by its key, and asked for from then on", async () => {
  await member.post("/panel/account/second-factor");
  const key = /<code class="data">([A-Z2-7]{32})</.exec(member.html)?.[1] ?? "";
  const confirm = "/panel/account/second-factor/confirm";
  expect((await member.post(confirm, { code: "000" })).status).toBe(400);
  expect(member.html).toContain("Code is wrong");
  expect(member.html).toContain(key);
  const codes = new TOTP({ secret: Secret.fromBase32(key) });
  await member.post(confirm, { code: codes.generate() });
  const recovery = /\w{5}-\w{5}-\w{5}/.exec(member.html)?.[0] ?? "";
  await member.open("/panel/account/second-factor");
  expect(member.html).not.toContain(recovery);
  const browser = new Browser();
  await browser.open("/panel/sign-in");
  expect(browser.html).not.toContain('name="code"');
  await browser.post("/panel/sign-in", { ...MEMBER, password: "not the password", code: "1" });
  expect(browser.html).not.toMatch(/name="code"|not the password/);
  expect((await browser.post("/panel/sign-in", MEMBER)).status).toBe(401);
  expect(browser.html).toContain("Enter the code of your authenticator app as well");
  expect(browser.html).toContain('name="code"');
  expect(browser.html).toContain(`value="${MEMBER.password}"`);
  const { location } = await browser.post("/panel/sign-in", { ...MEMBER, code: recovery });
  expect(location).toBe("/panel");
});
