import { UnreadableDocument } from "./extracted-document.ts";

export type DecodedText = { text: string; encoding: string; notes: string[] };

const NOT_RECOGNISED = "text encoding is not recognised";

/**
 * Bytes as text: by byte-order mark, as UTF-8 when they are, then as `declared`.
 * @throws UnreadableDocument when nothing fits with confidence: mojibake is worse than an error.
 */
export function decodeText(bytes: Uint8Array, declared: string | null): DecodedText {
  const marked = markedEncoding(bytes);
  const encoding = marked ?? "utf-8";
  const text = decodeStrictly(bytes, encoding);
  if (text !== null) return { text: normaliseLineEnds(text), encoding, notes: [] };
  const other = declared === null ? null : decodeStrictly(bytes, declared);
  if (other !== null)
    return { text: normaliseLineEnds(other), encoding: declared ?? "", notes: [] };
  throw new UnreadableDocument(NOT_RECOGNISED);
}

function markedEncoding(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : null;
}

function decodeStrictly(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

function normaliseLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
