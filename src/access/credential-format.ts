import { crc32 } from "node:zlib";

/** A secret scanner recognises them, and typos are refused without a look-up. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const BODY = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

const TOKEN_PREFIX = "qry_";
const KEY_PREFIX = "qrya_";
const WEBHOOK_PREFIX = "qryw_";

export const newToken = () => newCredential(TOKEN_PREFIX);
export const newAutomationKey = () => newCredential(KEY_PREFIX);
export const newWebhookSecret = () => newCredential(WEBHOOK_PREFIX);

export const isWellFormedToken = (text: string) => isWellFormed(TOKEN_PREFIX, text);
export const isWellFormedKey = (text: string) => isWellFormed(KEY_PREFIX, text);

function newCredential(prefix: string): string {
  const random = randomBase62(RANDOM_LENGTH);
  return prefix + random + checksumOf(random);
}

function isWellFormed(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const body = text.slice(prefix.length);
  if (!BODY.test(body)) return false;
  return checksumOf(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH);
}

/** The largest multiple of 62 in a byte: bytes above would favour the first characters. */
const UNBIASED_BELOW = 248;

/** Random characters, uniform over the base62 alphabet. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < UNBIASED_BELOW && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits = (ALPHABET[rest % ALPHABET.length] ?? "") + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
