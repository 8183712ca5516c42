import { invalidField } from "../../core/errors.ts";
import { sha256Hex } from "../../core/hash.ts";
import { normalForm } from "../../core/normal-form.ts";

export const MIN_PASSWORD_LENGTH = 12;
/** A password with fewer is one key held down, or two keys in turn. */
const MIN_DIFFERENT_CHARACTERS = 5;

/**
 * Checks a new password; its length is checked where the request is parsed.
 * @throws QuarryError `invalid` when it is commonly used, or easily guessed for this user.
 */
export async function refuseGuessable(
  password: string,
  email: string,
  field = "password",
): Promise<void> {
  const folded = normalForm(password, "NFKC").toLowerCase();
  if (new Set(folded).size < MIN_DIFFERENT_CHARACTERS) {
    throw invalidField(
      field,
      `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`,
    );
  }
  if (folded === email.toLowerCase() || (await isCommon(folded))) {
    throw invalidField(field, "is one of the commonly used");
  }
}

async function isCommon(folded: string): Promise<boolean> {
  // Imported on demand: setting a password is rare.
  const { FINGERPRINTS, FINGERPRINT_LENGTH } = await import("./common-passwords.ts");
  const fingerprint = (await sha256Hex(folded)).slice(0, FINGERPRINT_LENGTH);
  for (let at = 0; at < FINGERPRINTS.length; at += FINGERPRINT_LENGTH) {
    if (FINGERPRINTS.startsWith(fingerprint, at)) return true;
  }
  return false;
}
