import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";

import { stepOf } from "../../../src/access/totp/totp-code.ts";
import { countSealedByKey } from "../../../src/db/maintenance/sealed-secrets.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { eventually } from "../../support/eventually.ts";
import { panelWith } from "../../support/panel-with.ts";
import { call, ORIGIN, panelApi, signedIn } from "../../support/worker-client.ts";

const PASSWORD = "quiet amber lantern";
const STEP_MS = 30_000;

const admin = await signedIn();
afterEach(() => {
  vi.useRealTimers();
});

/** RFC 6238 once more, by other means. */
function codeAt(secret: string, time: number): string {
  const bits = [...secret]
    .map((letter) =>
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
    )
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / STEP_MS)));
  const hash = createHmac("sha1", key).update(counter).digest();
  const offset = (hash[19] ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

async function newUser(name: string) {
  const email = `${name}@example.com`;
  const { id } = await admin.create("/users", { email, password: PASSWORD, role: "member" });
  return { id: id, email };
}

const signIn = async (email: string, code?: string, password = PASSWORD) =>
  await call("POST", "/panel/api/session", { body: JSON.stringify({ email, password, code }) });

type Answer = Awaited<ReturnType<typeof signIn>>;
const cookieOf = ({ headers }: Answer) => headers.get("Set-Cookie")?.split(";", 1)[0] ?? "";
const withSession = (answer: Answer) => panelApi({ Cookie: cookieOf(answer), Origin: ORIGIN });

async function enrolled(email: string) {
  const session = await signIn(email);
  const send = withSession(session);
  const enrolment = await send("POST", "/session/totp");
  expect(enrolment.status).toBe(201);
  const { secret, uri } = enrolment.body as { secret: string; uri: string };
  const code = codeAt(secret, Date.now());
  const confirmed = await send("POST", "/session/totp/confirm", { code });
  expect(confirmed.status).toBe(200);
  const { recoveryCodes } = confirmed.body as { recoveryCodes: string[] };
  return { send, session, secret, uri, code, recoveryCodes };
}

const nextStep = () => vi.setSystemTime(Date.now() + STEP_MS);

test("the codes are those of RFC 6238, one step early or late", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const vectors = [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ] as const;
  for (const [seconds, code] of vectors) {
    const step = Math.floor(seconds / 30);
    for (const off of [-1, 0, 1]) {
      expect(stepOf(secret, code, (seconds + off * 30) * 1_000)).toBe(step);
    }
    for (const off of [-2, 2])
      expect(stepOf(secret, code, (seconds + off * 30) * 1_000)).toBeNull();
    expect(codeAt(secret, seconds * 1_000)).toBe(code);
  }
});

test("a code is asked for after the right password only, and opens once", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { email } = await newUser("coded");
  const elsewhere = withSession(await signIn(email));
  const { send, secret, uri, code } = await enrolled(email);
  expect(uri).toBe(
    `otpauth://totp/Quarry:coded%40example.com?issuer=Quarry&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
  expect((await elsewhere("GET", "/session")).status).toBe(401);
  expect((await send("GET", "/session")).body).toMatchObject({
    totp: { enrolled: true, required: false },
  });
  const refusals = [
    await signIn(email),
    await signIn(email, undefined, "a wrong password"),
    await signIn(email, "000000", "a wrong password"),
    await signIn(email, "000000"),
    // The code that confirmed the enrolment was used.
    await signIn(email, code),
  ];
  const unauthorized = { error: "Unauthorized" };
  expect(refusals.map(({ status, body }) => [status, body])).toEqual([
    [401, { error: "A code is required" }],
    ...Array.from({ length: 4 }, () => [401, unauthorized]),
  ]);
  nextStep();
  const next = codeAt(secret, Date.now());
  const both = await Promise.all([signIn(email, next), signIn(email, next)]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  expect((await send("POST", "/session/totp")).status).toBe(409);
  await eventually(async () => {
    const { data } = (await admin.send("GET", "/audit?action=session.code")).body as {
      data: { target: string; status: number; count: number }[];
    };
    const own = data.filter(({ target, status }) => target === email && status === 401);
    expect(own.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });
});

test("each recovery code opens once, and neither it nor the secret lies in the open", async () => {
  const { email } = await newUser("recovering");
  const { secret, recoveryCodes } = await enrolled(email);
  expect(new Set(recoveryCodes).size).toBe(8);
  const [first = "", second = ""] = recoveryCodes;
  const tables = await env.DB.batch([
    env.DB.prepare("select * from user_totp"),
    env.DB.prepare("select * from recovery_codes"),
    env.DB.prepare("select * from audit_events"),
  ]);
  const rowsText = JSON.stringify(tables.map(({ results }) => results));
  for (const word of [secret, first, second]) expect(rowsText).not.toContain(word);
  expect((await signIn(email, first)).status).toBe(200);
  expect((await signIn(email, first)).status).toBe(401);
  expect((await signIn(email, second)).status).toBe(200);
  expect((await countSealedByKey(openDatabase(env.DB)))[0]?.secrets).toBeGreaterThan(0);
});

test("wrong codes hold the account as wrong passwords do", async () => {
  const { email } = await newUser("guessed");
  const { recoveryCodes } = await enrolled(email);
  await env.DB.prepare("update sign_in_tries set tries = 0").run();
  // The account is held for a second: on a busy machine it would be over before the last sign-in.
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let at = 0; at < 10; at++) expect((await signIn(email, "000000")).status).toBe(401);
  expect((await signIn(email, recoveryCodes[0])).status).toBe(429);
});

test("it is removed with a code or the password, and by an administrator", async () => {
  const { email, id } = await newUser("removing");
  const { send, recoveryCodes } = await enrolled(email);
  const wrong = await send("DELETE", "/session/totp", { password: "a wrong password" });
  expect([wrong.status, wrong.body]).toEqual([
    400,
    { error: "Invalid request: password is wrong" },
  ]);
  expect((await send("DELETE", "/session/totp", {})).status).toBe(400);
  expect((await send("DELETE", "/session/totp", { code: recoveryCodes[0] })).status).toBe(204);
  expect((await signIn(email)).status).toBe(200);
  const enrolment = await enrolled(email);
  expect((await enrolment.send("DELETE", "/session/totp", { password: PASSWORD })).status).toBe(
    204,
  );
  const third = await enrolled(email);
  expect((await third.send("DELETE", `/users/${id}/totp`)).status).toBe(403);
  expect((await admin.send("DELETE", `/users/${id}/totp`)).status).toBe(204);
  expect((await admin.send("DELETE", `/users/${id}/totp`)).status).toBe(404);
  expect((await signIn(email)).status).toBe(200);
  const { data } = (await admin.send("GET", "/audit?limit=100")).body as {
    data: { action: string }[];
  };
  const actions = new Set(data.map(({ action }) => action));
  for (const part of ["enrol", "confirm", "remove"])
    expect(actions).toContain(`session.totp.${part}`);
  expect(actions).toContain("users.totp.remove");
});

test("under REQUIRE_TOTP a user without one may do nothing but enrol", async () => {
  const { email } = await newUser("required");
  const cookie = cookieOf(await signIn(email));
  const strict = panelWith({ REQUIRE_TOTP: "true" });
  const ask = async (method: string, path: string) =>
    (await strict(path, { method, cookie })).status;
  expect(await ask("GET", "/panel/api/rags")).toBe(403);
  expect(await ask("GET", "/panel/api/sessions")).toBe(403);
  expect(await ask("GET", "/api/rags")).toBe(403);
  expect(await ask("GET", "/panel/api/session")).toBe(200);
  expect(await ask("POST", "/panel/api/session/totp")).toBe(201);
  expect(await ask("GET", "/panel/api/rags")).toBe(403);
  await env.DB.prepare("update user_totp set confirmed_at = 1").run();
  expect(await ask("GET", "/panel/api/rags")).toBe(200);
  expect(await ask("GET", "/api/rags")).toBe(200);
});
