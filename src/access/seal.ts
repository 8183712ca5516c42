import type { Config } from "../config.ts";
import { sha256Hex } from "../core/hash.ts";

type Keys = Pick<Config, "ENVIRONMENT" | "ENCRYPTION_KEY" | "ENCRYPTION_KEY_PREVIOUS">;

const IV_BYTES = 12;
const KEY_ID_LENGTH = 8;
/** For a bare `wrangler dev` and tests: this key is public and protects nothing. */
export const DEVELOPMENT_KEY = btoa("quarry-development-key-no-secret");

/** AES-256-GCM as `keyId.iv.ciphertext`: the id tells which key opens it during a rotation. */
export async function seal(config: Keys, plaintext: string): Promise<string> {
  const key = currentKey(config);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const algorithm = { name: "AES-GCM", iv };
  const bytes = new TextEncoder().encode(plaintext);
  const ciphertext = await crypto.subtle.encrypt(algorithm, await importSealKey(key), bytes);
  return [await idOf(key), base64url(iv), base64url(new Uint8Array(ciphertext))].join(".");
}

/** @throws Error that gives the reason and contains no part of the secret. */
export async function unseal(config: Keys, sealed: string): Promise<string> {
  const [keyId, iv, ciphertext] = sealed.split(".");
  if (iv === undefined || ciphertext === undefined) throw new Error("not a sealed secret");
  for (const key of [currentKey(config), config.ENCRYPTION_KEY_PREVIOUS]) {
    if (key === undefined || (await idOf(key)) !== keyId) continue;
    const algorithm = { name: "AES-GCM", iv: Buffer.from(iv, "base64url") };
    const bytes = Buffer.from(ciphertext, "base64url");
    const plaintext = await crypto.subtle.decrypt(algorithm, await importSealKey(key), bytes);
    return new TextDecoder().decode(plaintext);
  }
  throw new Error("sealed with a key that is neither ENCRYPTION_KEY nor ENCRYPTION_KEY_PREVIOUS");
}

/** Ids of the two keys, as sealed texts begin with them; null: no previous key, or the same one. */
export async function keyIdsOf(
  config: Keys,
): Promise<{ current: string; previous: string | null }> {
  const current = await idOf(currentKey(config));
  const previous =
    config.ENCRYPTION_KEY_PREVIOUS === undefined
      ? null
      : await idOf(config.ENCRYPTION_KEY_PREVIOUS);
  return { current, previous: previous === current ? null : previous };
}

function currentKey(config: Keys): string {
  if (config.ENCRYPTION_KEY !== undefined) return config.ENCRYPTION_KEY;
  if (config.ENVIRONMENT === "development") return DEVELOPMENT_KEY;
  throw new Error("ENCRYPTION_KEY is not set");
}

async function idOf(key: string): Promise<string> {
  return (await sha256Hex(`quarry key id ${key}`)).slice(0, KEY_ID_LENGTH);
}

function importSealKey(key: string): Promise<CryptoKey> {
  const bytes = Buffer.from(key, "base64");
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
