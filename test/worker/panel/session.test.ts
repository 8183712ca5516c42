import { afterEach, expect, test, vi } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { call, ORIGIN, signedIn, outcomeOf } from "../../support/worker-client.ts";

const HOUR = 3_600_000;
const ADMIN = { email: "admin@localhost", password: "quarry" };

const signIn = async (credentials: object, headers: Record<string, string> = {}) =>
  await call("POST", "/panel/api/session", { body: JSON.stringify(credentials), headers });

const cookieOf = async (credentials: typeof ADMIN) => (await signedIn(credentials)).cookie;

const whoAmI = async (cookie: string) =>
  await call("GET", "/panel/api/session", { headers: { Cookie: cookie } });

async function makeUser(email: string, role: string) {
  const admin = await signedIn();
  return await admin.create("/users", { email, password: "quiet amber lantern", role });
}

afterEach(() => {
  vi.useRealTimers();
});

test("the first administrator comes from the secrets and gets a hardened cookie", async () => {
  const { status, body, headers } = await signIn({ ...ADMIN, email: " Admin@LocalHost " });
  expect(status).toBe(200);
  expect(body).toEqual({
    user: { id: expect.any(String), email: "admin@localhost", role: "admin" },
  });
  expect(headers.get("Set-Cookie")).toMatch(
    /^quarry_session=[0-9A-Za-z]{43}; HttpOnly; SameSite=Strict; Path=\/$/,
  );
  const repeat = await signIn(ADMIN);
  expect(repeat.body).toEqual(body);
});

test("a wrong password and an unknown user get the same 401", async () => {
  await signIn(ADMIN);
  for (const credentials of [
    { email: ADMIN.email, password: "wrong" },
    { email: "nobody@localhost", password: "quarry" },
  ]) {
    const { status, body, headers } = await signIn(credentials);
    expect({ status, body }).toEqual({ status: 401, body: { error: "Unauthorized" } });
    expect(headers.get("Set-Cookie")).toBeNull();
  }
});

test("a sign-in without its fields names them", async () => {
  expect(outcomeOf(await signIn({ email: 7 }))).toBe(
    "400 Invalid request: email must be a string; password is required",
  );
  const broken = await call("POST", "/panel/api/session", { body: "{" });
  expect(broken.body).toEqual({ error: "Invalid request: body is not valid JSON" });
});

test("an eleventh sign-in of one client within a minute is refused", async () => {
  const headers = { "X-Forwarded-For": "192.0.2.77" };
  for (let at = 0; at < 10; at++) {
    expect((await signIn({ email: "x@y", password: "z" }, headers)).status).toBe(401);
  }
  const refusal = await signIn(ADMIN, headers);
  expect(outcomeOf(refusal)).toBe("429 Too many requests");
});

test("a session ends at sign-out, and only our own pages can end it", async () => {
  const cookie = await cookieOf(ADMIN);
  expect((await whoAmI(cookie)).status).toBe(200);
  const foreign = { Cookie: cookie, Origin: "https://evil.example" };
  const crossSite = await call("DELETE", "/panel/api/session", { headers: foreign });
  expect(outcomeOf(crossSite)).toBe("403 Forbidden");
  const headers = { Cookie: cookie, Origin: ORIGIN };
  expect((await call("DELETE", "/panel/api/session", { headers })).status).toBe(204);
  expect((await whoAmI(cookie)).status).toBe(401);
});

test("a session ends after 12 idle hours, and after 7 days whatever happens", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const start = Date.now();
  const idle = await cookieOf(ADMIN);
  vi.setSystemTime(start + 12 * HOUR - 1_000);
  expect((await whoAmI(idle)).status).toBe(200);
  // That request was a sign of life: twelve more hours begin.
  vi.setSystemTime(start + 24 * HOUR - 10_000);
  await eventually(async () => expect((await whoAmI(idle)).status).toBe(200));
  vi.setSystemTime(start + 36 * HOUR);
  expect((await whoAmI(idle)).status).toBe(401);

  const busy = await cookieOf(ADMIN);
  const signedInAt = Date.now();
  for (let hours = 10; hours < 168; hours += 10) {
    vi.setSystemTime(signedInAt + hours * HOUR);
    expect((await whoAmI(busy)).status).toBe(200);
  }
  vi.setSystemTime(signedInAt + 168 * HOUR);
  expect((await whoAmI(busy)).status).toBe(401);
});

test("a new password or role ends the user's sessions, a new address does not", async () => {
  const { id } = await makeUser("changing@example.com", "admin");
  const admin = await signedIn();
  const credentials = { email: "changing@example.com", password: "quiet amber lantern" };

  const first = await cookieOf(credentials);
  await admin.send("PATCH", `/users/${id}`, { email: "Changed@example.com" });
  expect((await whoAmI(first)).body).toMatchObject({ user: { email: "changed@example.com" } });

  await admin.send("PATCH", `/users/${id}`, { password: "a better lantern" });
  expect((await whoAmI(first)).status).toBe(401);
  expect(
    (await signIn({ email: "changed@example.com", password: "quiet amber lantern" })).status,
  ).toBe(401);

  const second = await cookieOf({ email: "changed@example.com", password: "a better lantern" });
  await admin.send("PATCH", `/users/${id}`, { role: "admin" });
  expect((await whoAmI(second)).status).toBe(200);
  await admin.send("PATCH", `/users/${id}`, { role: "member" });
  expect((await whoAmI(second)).status).toBe(401);
});

test("removing a user ends the user's sessions", async () => {
  const { id } = await makeUser("leaving@example.com", "member");
  const cookie = await cookieOf({ email: "leaving@example.com", password: "quiet amber lantern" });
  const admin = await signedIn();
  expect((await admin.send("DELETE", `/users/${id}`)).status).toBe(204);
  expect((await whoAmI(cookie)).status).toBe(401);
  expect((await admin.send("DELETE", `/users/${id}`)).status).toBe(404);
});

test("what is typed has a maximum length", async () => {
  for (const field of ["email", "password"]) {
    const { status, body } = await signIn({ ...ADMIN, [field]: "a".repeat(500_000) });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(`${field} must have at most`) as unknown },
    });
  }
});

test("whatever strangers try and from where, an hour has few entries of it", async () => {
  const admin = await signedIn();
  type Event = { target: string | null; status: number; count: number };
  const refusals = async (action: string) => {
    const { body } = await admin.send("GET", `/audit?action=${action}&limit=100`);
    const events = (body as { data: Event[] }).data.filter(({ status }) => status === 401);
    const sum = events.reduce((all, { count }) => all + count, 0);
    return { targets: new Set(events.map(({ target }) => target)), entries: events.length, sum };
  };
  for (let at = 0; at < 12; at++) {
    await signIn({ email: `stranger-${at}@example.com`, password: "wrong" });
    await call("POST", "/panel/api/limits", { body: "{}" });
    await call("POST", `/api/rags/rag-${at}/scopes`, { body: "{}" });
  }
  await eventually(async () => {
    for (const action of ["limits.create", "rags.scopes.create"]) {
      const { targets, entries, sum } = await refusals(action);
      expect([...targets, entries <= 8, sum]).toEqual([null, true, 12]);
    }
    const { targets, sum } = await refusals("session.sign-in");
    expect([[...targets].join(" ").includes("stranger"), sum >= 12]).toEqual([false, true]);
  });
});
