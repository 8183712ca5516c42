import { sha256Hex } from "../../core/hash.ts";
import { randomBase62 } from "../credential-format.ts";

/** 15 base62 characters hold 89 bits: too many to guess, so that a plain hash is enough. */
const GROUPS = 3;
const GROUP_LENGTH = 5;

/** A code that replaces a code of the second factor, once: `ab12C-…-…`. */
export const newRecoveryCode = () =>
  Array.from({ length: GROUPS }, () => randomBase62(GROUP_LENGTH)).join("-");

export const isRecoveryCode = (text: string) => /^\w{5}-\w{5}-\w{5}$/.test(text.trim());

export const recoveryHash = async (code: string) =>
  await sha256Hex(`quarry recovery code ${code.trim()}`);
