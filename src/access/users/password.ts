import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

import { normalForm } from "../../core/normal-form.ts";
import { Turns } from "../../core/work/turns.ts";
import { COST } from "./password-cost.ts";

const BLOCK_SIZE = 8;
const PARALLELISM = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Above what the parameters need, and below what would endanger the Worker. */
const MEMORY_LIMIT_BYTES = 64 * 1_024 * 1_024;

/** Bounds the work of hashing; longer than any passphrase. */
export const MAX_PASSWORD_LENGTH = 1_024;

type Parameters = { N: number; r: number; p: number };

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64: the parameters can change later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = { N: COST, r: BLOCK_SIZE, p: PARALLELISM };
  const hash = await derive(password, salt, HASH_BYTES, parameters);
  const numbers = [COST, BLOCK_SIZE, PARALLELISM];
  return ["scrypt", ...numbers, salt.toString("base64"), hash.toString("base64")].join("$");
}

/** Replaces the hash of a user who does not exist, so that the answer takes as long. */
const NOBODY = [
  "scrypt",
  COST,
  BLOCK_SIZE,
  PARALLELISM,
  "A".repeat(22) + "==",
  "A".repeat(43) + "=",
];

/** Stored for a user without a password: it matches none. */
export const NO_PASSWORD = "";

/** Null and no password match none, and take the same time. */
export async function verifyPassword(
  password: string,
  storedHash: string | null,
): Promise<boolean> {
  const isNone = storedHash === null || storedHash === NO_PASSWORD;
  const [scheme, N, r, p, salt, hash] = (isNone ? NOBODY.join("$") : storedHash).split("$");
  if (scheme !== "scrypt" || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, "base64");
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, "base64"), expected.length, parameters);
  return timingSafeEqual(actual, expected) && !isNone;
}

/** A hash takes a tenth of a second of the thread: one at a time, with other work in between. */
const hashing = new Turns({ atOnce: 1, waiting: 20, refusal: "Too many sign-ins are waiting" });
const EVERYBODY = "";

/** @throws QuarryError `busy` */
async function derive(password: string, salt: Buffer, length: number, parameters: Parameters) {
  const end = await hashing.begin(EVERYBODY);
  try {
    return await scryptOf(password, salt, length, parameters);
  } finally {
    end();
  }
}

function scryptOf(password: string, salt: Buffer, length: number, parameters: Parameters) {
  const options = { ...parameters, maxmem: MEMORY_LIMIT_BYTES };
  // NFKC: the same passphrase typed on another keyboard is the same bytes (RFC 8265).
  const bytes = Buffer.from(normalForm(password, "NFKC"), "utf8");
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(bytes, salt, length, options, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
