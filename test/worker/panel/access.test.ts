import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { call, ORIGIN, signedIn, outcomeOf, withKey } from "../../support/worker-client.ts";

const DAY = 86_400_000;

async function newKey(role: string, expiresAt?: string) {
  const admin = await signedIn();
  return await admin.create("/keys", { name: `${role} key`, role, expiresAt });
}

afterEach(() => {
  vi.useRealTimers();
});

test("nothing is told without credentials, not even what exists", async () => {
  for (const path of ["/users", "/rags/x", "/nothing", "/overview"]) {
    expect(outcomeOf(await call("GET", `/panel/api${path}`))).toBe("401 Unauthorized");
  }
});

test("an automation key needs no cookie or origin, is shown once and stored hashed", async () => {
  const { id, key } = await newKey("admin");
  expect(key).toMatch(/^qrya_[0-9A-Za-z]{38}$/);
  expect((await withKey(key)("POST", "/tokens", { name: "by key" })).status).toBe(201);
  const response = await withKey(key)("GET", "/keys");
  expect(response.body).toMatchObject({
    data: [{ id, name: "admin key", role: "admin" }],
    total: 1,
  });
  expect(JSON.stringify(response.body)).not.toContain(key);
  const { results } = await env.DB.prepare("select * from keys").all();
  expect(JSON.stringify(results)).not.toContain(key.slice(5));

  expect((await withKey(key)("DELETE", `/keys/${id}`)).status).toBe(204);
  expect((await withKey(key)("GET", "/keys")).status).toBe(401);
});

test("a key with a changed character, an access token and another scheme are refused", async () => {
  const { key } = await newKey("admin");
  const typo = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
  expect((await withKey(typo)("GET", "/keys")).status).toBe(401);
  const { body } = await withKey(key)("POST", "/tokens", { name: "t", rags: ["*"] });
  expect((await withKey((body as { token: string }).token)("GET", "/keys")).status).toBe(401);
  const basic = { Authorization: `Basic ${key}` };
  expect((await call("GET", "/panel/api/keys", { headers: basic })).status).toBe(401);
});

test("an automation key is no access token", async () => {
  const { key } = await newKey("admin");
  const { status } = await call("GET", "/api/rags", {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(status).toBe(401);
});

test("a key stops at its expiry, which must lie in the future", async () => {
  const { key } = await newKey("member", new Date(Date.now() + DAY).toISOString());
  expect((await withKey(key)("GET", "/keys")).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + DAY);
  expect((await withKey(key)("GET", "/keys")).status).toBe(401);
  vi.useRealTimers();
  const admin = await signedIn();
  const past = await admin.send("POST", "/keys", {
    name: "",
    role: "owner",
    expiresAt: "2020-01-01T00:00:00Z",
  });
  expect(outcomeOf(past)).toBe(
    "400 Invalid request: name must have at least 1 character; role must be one of admin, member; expiresAt must lie in the future",
  );
});

test("a member reads everything but what local servers answer", async () => {
  const { key } = await newKey("member");
  const lists = ["users", "keys", "file-sources", "rags", "inferences", "agents", "tokens"];
  for (const path of [...lists, "models", "overview"]) {
    expect((await withKey(key)("GET", `/${path}`)).status).toBe(200);
  }
  // It asks servers of the network.
  expect((await withKey(key)("GET", "/model-servers")).status).toBe(403);
});

test("with the cookie, only our own pages change anything", async () => {
  const { cookie: Cookie } = await signedIn();
  const post = async (headers: Record<string, string>) =>
    await call("POST", "/panel/api/tokens", {
      headers: { Cookie, ...headers },
      body: JSON.stringify({ name: "t" }),
    });
  expect((await post({})).status).toBe(403);
  expect((await post({ Origin: "http://other.test" })).status).toBe(403);
  expect((await post({ "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
  expect((await post({ Origin: ORIGIN })).status).toBe(201);
  expect((await post({ "Sec-Fetch-Site": "same-origin" })).status).toBe(201);
  // Where there is an Authorization header it alone counts.
  expect((await post({ Origin: ORIGIN, Authorization: "Bearer nonsense" })).status).toBe(401);
});

test("what one caller is refused is a few audit entries an hour, with a count", async () => {
  const admin = await signedIn();
  for (let n = 0; n < 40; n++) await admin.send("DELETE", `/keys/invented-${n}`);
  await eventually(async () => {
    const { body } = await admin.send("GET", "/audit?action=keys.remove");
    const { data } = body as { data: { status: number; count: number }[] };
    const entries = data.filter(({ status }) => status === 404);
    expect(entries.length).toBeLessThanOrEqual(8);
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(40);
  });
});

test("the last administrator can be neither removed nor demoted", async () => {
  const admin = await signedIn();
  const { body } = await admin.send("GET", "/session");
  const { id } = (body as { user: { id: string } }).user;
  const refusal = { error: "The last administrator cannot become a member" };
  expect(await admin.send("DELETE", `/users/${id}`)).toMatchObject({ status: 409, body: refusal });
  expect(await admin.send("PATCH", `/users/${id}`, { role: "member" })).toMatchObject({
    status: 409,
    body: refusal,
  });
  // Refused, the change leaves the session as it was.
  expect((await admin.send("GET", "/session")).status).toBe(200);
  const secondUser = {
    email: "second@example.com",
    password: "quiet amber lantern",
    role: "admin",
  };
  expect((await admin.send("POST", "/users", secondUser)).status).toBe(201);
  expect((await admin.send("PATCH", `/users/${id}`, { role: "member" })).status).toBe(200);
});
