import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { call, ORIGIN, signedIn, outcomeOf, withKey } from "../../support/worker-client.ts";

const PASSWORD = "quiet amber lantern";

const admin = await signedIn();
afterEach(() => {
  vi.useRealTimers();
});

async function newUser(name: string, role = "member") {
  const email = `${name}@example.com`;
  const { id } = await admin.create("/users", { email, password: PASSWORD, role });
  return { id, email };
}

const signIn = async (credentials: object, headers: Record<string, string> = {}) =>
  await call("POST", "/panel/api/session", { body: JSON.stringify(credentials), headers });

const asUser = async (email: string, password = PASSWORD, headers = {}) =>
  (await signedIn({ email, password }, headers)).send;

test("a password that many use is refused, wherever one is set", async () => {
  const common = { email: "c@example.com", password: "1qaz2wsx3edc", role: "member" };
  const refusal = { error: "Invalid request: password is one of the commonly used" };
  expect(await admin.send("POST", "/users", common)).toMatchObject({ status: 400, body: refusal });
  const { id, email } = await newUser("setting");
  const patched = await admin.send("PATCH", `/users/${id}`, { password: common.password });
  expect(patched).toMatchObject({ status: 400, body: refusal });
  const send = await asUser(email);
  const own = { currentPassword: PASSWORD, newPassword: common.password };
  expect(await send("PATCH", "/session/password", own)).toMatchObject({ status: 400 });
});

test("a member changes their own password, and only this session stays", async () => {
  const { email } = await newUser("own");
  const [firstDevice, secondDevice] = [await asUser(email), await asUser(email)];
  const next = "another amber lantern";
  const wrong = { currentPassword: "not the password", newPassword: next };
  expect(outcomeOf(await firstDevice("PATCH", "/session/password", wrong))).toBe(
    "400 Invalid request: currentPassword is wrong",
  );
  const right = { currentPassword: PASSWORD, newPassword: next };
  expect((await firstDevice("PATCH", "/session/password", right)).status).toBe(200);
  expect((await firstDevice("GET", "/session")).status).toBe(200);
  expect((await secondDevice("GET", "/session")).status).toBe(401);
  expect((await signIn({ email, password: PASSWORD })).status).toBe(401);
  await asUser(email, next);
});

test("sessions are listed and ended: one's own, and by an administrator all", async () => {
  const { email, id } = await newUser("listed");
  const agent = { "User-Agent": "A browser", "X-Forwarded-For": "192.0.2.9" };
  const [firstDevice, secondDevice] = [await asUser(email), await asUser(email, PASSWORD, agent)];
  const sessions = (await secondDevice("GET", "/sessions")).body as {
    data: object[];
    total: number;
  };
  expect(sessions.total).toBe(2);
  const current = sessions.data.find((session) => "current" in session && session.current === true);
  expect(current).toEqual({
    id: expect.any(String),
    userId: id,
    email,
    address: "192.0.2.9",
    userAgent: "A browser",
    createdAt: expect.any(String),
    lastSeenAt: expect.any(String),
    current: true,
  });
  const all = (await admin.send("GET", "/sessions?limit=100")).body as {
    data: { id: string; email: string; current: boolean }[];
  };
  expect(JSON.stringify(all)).not.toMatch(/hash|[0-9a-f]{64}/);
  const foreign = all.data.find((session) => session.current);
  expect((await firstDevice("DELETE", `/sessions/${foreign?.id}`)).status).toBe(404);
  expect((await admin.send("GET", "/session")).status).toBe(200);
  expect((await firstDevice("DELETE", `/sessions/${(current as { id: string }).id}`)).status).toBe(
    204,
  );
  expect((await secondDevice("GET", "/session")).status).toBe(401);
  const last = all.data.find(
    (session) => session.email === email && session.id !== (current as { id: string }).id,
  );
  expect((await admin.send("DELETE", `/sessions/${last?.id}`)).status).toBe(204);
  expect((await firstDevice("GET", "/session")).status).toBe(401);
});

test("an account is held for a growing while, whether it exists or not", async () => {
  const { email } = await newUser("held");
  const home = { "X-Forwarded-For": "192.0.2.33" };
  await asUser(email, PASSWORD, home);
  vi.useFakeTimers({ toFake: ["Date"] });
  const waitOf = async (account: string) => {
    const guess = async () => await signIn({ email: account, password: "a wrong password" });
    expect((await guess()).status).toBe(401);
    await env.DB.prepare("update sign_in_tries set tries = 9").run();
    const waits: number[] = [];
    for (let round = 0; round < 3; round++) {
      expect((await guess()).status).toBe(401);
      const refusal = await signIn({ email: account, password: PASSWORD });
      expect([refusal.status, refusal.body]).toEqual([429, { error: "Too many requests" }]);
      const wait = Number(refusal.headers.get("Retry-After"));
      waits.push(wait);
      vi.setSystemTime(Date.now() + wait * 1_000);
    }
    return waits;
  };
  expect(await waitOf(email)).toEqual([1, 2, 4]);
  expect(await waitOf("nobody-here@example.com")).toEqual([1, 2, 4]);
  await signIn({ email, password: "a wrong password" });
  expect((await signIn({ email, password: PASSWORD })).status).toBe(429);
  const page = await new Browser().post("/panel/sign-in", { email, password: PASSWORD });
  expect(page).toMatchObject({ status: 429 });
  expect(page.headers.get("Retry-After")).toMatch(/^\d+$/);
  // Its user's own address does not wait for a stranger's tries; a success ends the hold.
  await asUser(email, PASSWORD, home);
  await asUser(email);
});

test("a page of another site cannot sign anybody in", async () => {
  const credentials = { email: "admin@localhost", password: "quarry" };
  const from = async (headers: Record<string, string>) =>
    (await signIn(credentials, headers)).status;
  expect(await from({ Origin: "https://evil.example" })).toBe(403);
  expect(await from({ Origin: "null" })).toBe(403);
  expect(await from({ "Sec-Fetch-Site": "cross-site" })).toBe(403);
  expect(await from({ "Sec-Fetch-Site": "same-site" })).toBe(403);
  expect(await from({ Origin: ORIGIN })).toBe(200);
  expect(await from({ "Sec-Fetch-Site": "same-origin" })).toBe(200);
  expect(await from({})).toBe(200);
});

test("wrong credentials from one address run out; a good key never does", async () => {
  const { key } = await admin.create("/keys", { name: "Pusher", role: "admin" });
  const ask = async (Authorization: string, method = "GET") => {
    const headers = { Authorization, "X-Forwarded-For": "192.0.2.50" };
    return await call(method, "/panel/api/keys", { headers });
  };
  const recorded = async () =>
    (await env.DB.prepare("select 1 from audit_events").run()).results.length;
  for (let at = 0; at < 30; at++) expect((await ask("Bearer nonsense")).status).toBe(401);
  const refusal = await ask("Bearer nonsense");
  expect(refusal.status).toBe(429);
  expect(refusal.headers.get("Retry-After")).toMatch(/^\d+$/);
  const before = await recorded();
  expect((await ask("Bearer nonsense", "POST")).status).toBe(429);
  // Or anybody could fill the log.
  expect(await recorded()).toBe(before);
  for (let at = 0; at < 5; at++) expect((await ask(`Bearer ${key}`)).status).toBe(200);
});

test("a key names its maker, can do no more, and ends with them", async () => {
  const { id, email } = await newUser("maker", "admin");
  const send = await asUser(email);
  const response = await send("POST", "/keys", { name: "Robot", role: "admin" });
  const { key, createdBy } = response.body as { key: string; createdBy: string };
  expect(createdBy).toBe(id);
  const byKey = withKey(key);
  const second = await byKey("POST", "/keys", { name: "Robot's own", role: "admin" });
  expect(second.body).toMatchObject({ createdBy: id });
  expect((await admin.send("GET", "/keys?limit=100")).body).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ createdByEmail: email })]),
  });
  await admin.send("PATCH", `/users/${id}`, { role: "member" });
  expect((await byKey("POST", "/tokens", { name: "T" })).status).toBe(403);
  expect((await byKey("GET", "/tokens")).status).toBe(200);
  await admin.send("DELETE", `/users/${id}`);
  expect((await byKey("GET", "/tokens")).status).toBe(401);
  expect(JSON.stringify((await admin.send("GET", "/keys?limit=100")).body)).not.toContain("Robot");
});
