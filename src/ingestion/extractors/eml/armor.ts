/** Said of what only its receiver can read. */
export const ENCRYPTED = "message is encrypted";

const ENCRYPTED_TEXT = /^\s*-----BEGIN PGP MESSAGE-----\s/;
const SIGNED = /^\s*-----BEGIN PGP SIGNED MESSAGE-----\n(?:[\w-]+:[^\n]*\n)*\s*\n/;
const SIGNATURE = "\n-----BEGIN PGP SIGNATURE-----\n";

/** Whether a text is nothing that anyone but its receiver can read (RFC 9580 §6.2). */
export const isEncryptedText = (text: string) => ENCRYPTED_TEXT.test(text.slice(0, 200));

/** What was signed, without the signature around it (RFC 9580 §7). */
export function withoutSignature(text: string): string {
  const begin = SIGNED.exec(text.slice(0, 2_000))?.[0].length ?? 0;
  if (begin === 0) return text;
  const end = text.indexOf(SIGNATURE, begin);
  return text.slice(begin, end < 0 ? text.length : end).replace(/^- (?=-|From )/gm, "");
}
