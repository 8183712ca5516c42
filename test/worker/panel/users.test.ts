import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { COST } from "../../../src/access/users/password-cost.ts";
import { signedIn, outcomeOf, withKey } from "../../support/worker-client.ts";

test("users are created, listed by address, changed, and shown without passwords", async () => {
  const admin = await signedIn();
  for (const name of ["cora", "Anna", "berta"]) {
    const response = await admin.send("POST", "/users", {
      email: `${name}@example.com`,
      password: "correct horse battery",
      role: "member",
    });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(String),
      email: `${name.toLowerCase()}@example.com`,
      role: "member",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  }
  const second = await admin.send("GET", "/users?page=2&limit=3");
  expect(second.body).toMatchObject({
    data: [{ email: "cora@example.com" }],
    total: 4,
    page: 2,
    limit: 3,
  });
  expect(JSON.stringify(second.body)).not.toContain("scrypt");
  const row = await env.DB.prepare("select password_hash from users limit 1").first<{
    password_hash: string;
  }>();
  const [scheme, N, ...rest] = row?.password_hash.split("$") ?? [];
  expect([scheme, N]).toEqual(["scrypt", String(COST)]);
  expect(rest.join("$")).toMatch(/^8\$5\$[\w+/]{22}==\$[\w+/]{43}=$/);
});

test("a taken address is 409, an unknown user 404, wrong fields are a 400 naming all", async () => {
  const admin = await signedIn();
  const duplicate = { email: "ADMIN@localhost", password: "long enough now", role: "member" };
  expect(outcomeOf(await admin.send("POST", "/users", duplicate))).toBe(
    "409 E-mail address is taken",
  );
  expect((await admin.send("PATCH", "/users/nobody", { role: "admin" })).status).toBe(404);
  const wrong = await admin.send("POST", "/users", { email: "no address", password: "short" });
  expect(outcomeOf(wrong)).toBe(
    "400 Invalid request: email must be an e-mail address; password must have at least 12 characters; role is required",
  );
  const paging = await admin.send("GET", "/users?page=0&limit=101");
  expect(outcomeOf(paging)).toBe(
    "400 Invalid request: page must be at least 1; limit must be at most 100",
  );
});

test("of two users given one address at once one gets it, the other is 409", async () => {
  const admin = await signedIn();
  const make = async (name: string) => {
    const email = `${name}@example.com`;
    const { id } = await admin.create("/users", {
      email,
      password: "correct horse battery",
      role: "member",
    });
    return { id: id, email };
  };
  const users = [await make("dora"), await make("emma")];
  const change = { email: "wanted@example.com" };
  const answers = await Promise.all(
    users.map(({ id }) => admin.send("PATCH", `/users/${id}`, change)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.find(({ status }) => status === 409)?.body).toEqual({
    error: "E-mail address is taken",
  });
  const loser = users[answers.findIndex(({ status }) => status === 409)];
  const row = await env.DB.prepare("select email from users where id = ?")
    .bind(loser?.id)
    .first<{ email: string }>();
  expect(row?.email).toBe(loser?.email);
});

test("one's own password and second factor are not changed by the routes for others", async () => {
  const admin = await signedIn();
  const me = await admin.send("GET", "/session");
  const { id } = (me.body as { user: { id: string } }).user;
  const { key } = await admin.create("/keys", { name: "own", role: "admin" });
  const password = { password: "a better lantern" };
  for (const send of [admin.send, withKey(key)]) {
    expect(await send("PATCH", `/users/${id}`, password)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining("account's page") },
    });
    expect((await send("DELETE", `/users/${id}/totp`)).status).toBe(403);
    expect((await send("PATCH", `/users/${id}`, { role: "admin" })).status).toBe(200);
  }
});
