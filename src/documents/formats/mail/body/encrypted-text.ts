/** Reason for a message that only its receiver can read. */
export const ENCRYPTED = "message is encrypted";
/** Reason for text inside a CMS structure (RFC 8551): encrypted, or enclosed in its signature. */
export const ENCLOSED = "message is encrypted or enclosed in its signature (S/MIME)";
/** Note where only a part is encrypted. */
export const ENCRYPTED_PART = "encrypted part left out";

const BEGIN = /^-----BEGIN PGP MESSAGE-----[ \t]*$/m;
const END = "-----END PGP MESSAGE-----";

/** Removes a block of OpenPGP data (RFC 9580 §6.2) from a text. */
export function withoutEncrypted(text: string): { text: string; hasEncrypted: boolean } {
  const start = text.search(BEGIN);
  const end = start < 0 ? -1 : text.indexOf(END, start);
  if (end < 0) return { text, hasEncrypted: false };
  return { text: text.slice(0, start) + text.slice(end + END.length), hasEncrypted: true };
}
