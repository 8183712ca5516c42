import { Secret, TOTP } from "otpauth/slim";

import { sha256Hex } from "../../core/hash.ts";
import { SECOND_MS } from "../../core/time.ts";
import { randomBase62 } from "../credential-format.ts";

/** RFC 6238 with the parameters that every authenticator app supports. */
const DIGITS = 6;
const PERIOD_SECONDS = 30;
/** Steps before and after the current one: clocks differ, people type slowly. */
const WINDOW_STEPS = 1;
const SECRET_BYTES = 20;
const ISSUER = "Quarry";

export const newSecret = () => new Secret({ size: SECRET_BYTES }).base32;

/** The text of the QR code that an authenticator app reads. */
export const totpUri = (secret: string, label: string) => generatorOf(secret, label).toString();

/** The time step that this code belongs to, at most one step from now; null: a wrong code. */
export function stepOf(secret: string, code: string, now: number): number | null {
  const token = code.replaceAll(" ", "");
  if (!/^\d{6}$/.test(token)) return null;
  const delta = generatorOf(secret, "").validate({ token, timestamp: now, window: WINDOW_STEPS });
  return delta === null ? null : Math.floor(now / (PERIOD_SECONDS * SECOND_MS)) + delta;
}

const generatorOf = (secret: string, label: string) =>
  new TOTP({
    issuer: ISSUER,
    label,
    algorithm: "SHA1",
    digits: DIGITS,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });

/** 15 base62 characters hold 89 bits: too many to guess, so that a plain hash is enough. */
const GROUPS = 3;
const GROUP_LENGTH = 5;

/** A code that replaces a code of the second factor, once: `ab12C-…-…`. */
export const newRecoveryCode = () =>
  Array.from({ length: GROUPS }, () => randomBase62(GROUP_LENGTH)).join("-");

export const isRecoveryCode = (text: string) => /^\w{5}-\w{5}-\w{5}$/.test(text.trim());

export const recoveryHash = async (code: string) =>
  await sha256Hex(`quarry recovery code ${code.trim()}`);
