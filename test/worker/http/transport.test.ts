import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

const ask = async (url: string, init: RequestInit = {}) =>
  await exports.default.fetch(new Request(url, init));

const SIGN_IN = {
  method: "POST",
  body: JSON.stringify({ email: "admin@localhost", password: "quarry" }),
};

test("a local server answers to its own names only", async () => {
  for (const name of ["evil.example", "localhost.evil.example", "192.168.1.5", "0.0.0.0"]) {
    const answer = await ask(`http://${name}/api/openapi.json`);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/^Forbidden: a local/) });
    expect((await ask(`http://${name}/panel/api/session`, SIGN_IN)).status).toBe(403);
  }
  for (const name of ["localhost:8787", "127.0.0.1:9000", "[::1]:8787"]) {
    expect((await ask(`http://${name}/api/openapi.json`)).status).toBe(200);
  }
});

test("https is kept to, and its cookie is this host's alone", async () => {
  const signIn = await ask("https://localhost/panel/api/session", SIGN_IN);
  expect(signIn.headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d{8}$/);
  const cookie = signIn.headers.get("Set-Cookie") ?? "";
  expect(cookie).toMatch(
    /^__Host-quarry_session=\w{43}; HttpOnly; SameSite=Strict; Path=\/; Secure$/,
  );
  const [pair = ""] = cookie.split(";");
  const who = async (origin: string, Cookie: string) =>
    (await ask(`${origin}/panel/api/session`, { headers: { Cookie } })).status;
  expect(await who("https://localhost", pair)).toBe(200);
  // What a sibling site or plain http may have set does not count.
  expect(await who("https://localhost", pair.replace("__Host-", ""))).toBe(401);
  const plain = await ask("http://localhost/panel/api/session", SIGN_IN);
  expect(plain.headers.get("Strict-Transport-Security")).toBeNull();
});
