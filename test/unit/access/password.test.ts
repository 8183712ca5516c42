import * as zxcvbn from "@zxcvbn-ts/language-common";
import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";

import { MIN_PASSWORD_LENGTH, refuseGuessable } from "../../../src/access/users/password-rules.ts";
import { hashPassword, verifyPassword } from "../../../src/access/users/password.ts";

test("a password is kept as salted scrypt with its parameters", async () => {
  const storedHash = await hashPassword("correct horse");
  const [scheme, N, r, p, salt = "", hash] = storedHash.split("$");
  expect([scheme, N, r, p]).toEqual(["scrypt", "16384", "8", "5"]);
  const saltBytes = Buffer.from(salt, "base64");
  expect(saltBytes).toHaveLength(16);
  const options = { N: 16_384, r: 8, p: 5, maxmem: 2 ** 26 };
  expect(scryptSync("correct horse", saltBytes, 32, options).toString("base64")).toBe(hash);
  expect(await hashPassword("correct horse")).not.toBe(storedHash);
});

test("only the right password is accepted, and nobody's never", async () => {
  const storedHash = await hashPassword("correct horse");
  expect(await verifyPassword("correct horse", storedHash)).toBe(true);
  expect(await verifyPassword("correct horsf", storedHash)).toBe(false);
  expect(await verifyPassword("", null)).toBe(false);
});

test("who has no password is refused no sooner than who does not exist", async () => {
  const order: string[] = [];
  const tries = ([null, ""] as const).map(async (hash) => {
    expect(await verifyPassword("", hash)).toBe(false);
    order.push(hash === null ? "nobody" : "no password");
  });
  await Promise.all(tries);
  expect(order).toEqual(["nobody", "no password"]);
});

test("hashes of other parameters are still read", async () => {
  const salt = Buffer.alloc(16, 3);
  const hash = scryptSync("old", salt, 32, { N: 1_024, r: 8, p: 1 });
  const oldRecord = `scrypt$1024$8$1$${salt.toString("base64")}$${hash.toString("base64")}`;
  expect(await verifyPassword("old", oldRecord)).toBe(true);
  expect(await verifyPassword("new", oldRecord)).toBe(false);
});

test("passwords are checked one after the other, and too many at once are refused", async () => {
  const salt = Buffer.alloc(16, 3);
  const hash = scryptSync("old", salt, 32, { N: 1_024, r: 8, p: 1 });
  const oldRecord = `scrypt$1024$8$1$${salt.toString("base64")}$${hash.toString("base64")}`;
  const order: number[] = [];
  const checked = await Promise.allSettled(
    Array.from({ length: 30 }, async (_, at) => {
      await verifyPassword("old", oldRecord);
      order.push(at);
    }),
  );
  const refusals = checked.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  expect(refusals).toHaveLength(9);
  expect(refusals[0]).toMatchObject({ kind: "busy", retryAfterSeconds: 5 });
  expect(order).toEqual(Array.from({ length: 21 }, (_, at) => at));
});

const refusalOf = async (password: string) =>
  await refuseGuessable(password, "ann@example.com").then(
    () => null,
    (thrown: unknown) => (thrown as Error).message,
  );

test("every commonly used password of the package's list is refused", async () => {
  const list = (zxcvbn.dictionary as Record<string, string[]>)["passwords-common"] ?? [];
  const long = list.filter((password) => password.length >= MIN_PASSWORD_LENGTH);
  expect(long.length).toBeGreaterThan(300);
  for (const password of long) expect(await refusalOf(password)).toContain("password ");
});

test("whatever its case, and what a key held down gives", async () => {
  expect(await refusalOf("1QAZ2wsx3edc")).toBe(
    "Invalid request: password is one of the commonly used",
  );
  expect(await refusalOf("Ann@Example.com")).toContain("commonly used");
  for (const dull of ["aaaaaaaaaaaa", "121212121212", "abcdabcdabcd"]) {
    expect(await refusalOf(dull)).toContain("must have at least 5 different characters");
  }
  expect(await refusalOf("quiet amber lantern")).toBeNull();
});
