import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { entryNamed } from "../../archive/named-entry.ts";
import {
  countOf,
  declaredEncoding,
  decodeText,
  lenient,
  REPLACEMENT,
  withLineFeeds,
} from "../../../decoding/decode-text.ts";

const OTHER_NAMES: Record<string, string> = {
  cp932: "shift_jis",
  "windows-932": "shift_jis",
  cp936: "gbk",
  "windows-936": "gbk",
  cp949: "euc-kr",
  cp950: "big5",
  "windows-950": "big5",
  "iso-2022-jp-1": "iso-2022-jp",
  "iso-2022-jp-2": "iso-2022-jp",
  cp50220: "iso-2022-jp",
  cp50221: "iso-2022-jp",
};
const DETECTION_COST = 8;
const RETURN = 0x0d;
const LINE_FEED = 0x0a;
const MAX_DAMAGED = 0.02;

/** `charset` is what the part's header says. @throws UnreadableDocument when no encoding fits. */
export function* textOfPart(
  bytes: Uint8Array,
  charset: string | undefined,
): CooperativeWork<{ text: string; notes: string[] }> {
  const told = charset?.trim().toLowerCase() ?? "";
  const declared =
    told === "" ? declaredEncoding(bytes, null) : (entryNamed(OTHER_NAMES, told) ?? told);
  // Looking for an unknown encoding takes longer than reading the text, and may end in an error.
  yield bytes.length * DETECTION_COST;
  const decoded = decodedAs(bytes, declared);
  return { text: yield* withLineFeeds(decoded.text), notes: decoded.notes };
}

/** A generator: a list of the lines of a long text would exceed the memory. */
export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    yield text.slice(at, end);
    at = end + 1;
  }
}

/** In the bytes: a long string would be in memory twice. `bytes` is empty afterwards. */
export function withLineFeedsAlone(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  // In UTF-16, half a code unit may have the value of a line end.
  if (!bytes.includes(RETURN) || bytes.includes(0)) return bytes;
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== RETURN) bytes[end++] = byte;
    else if (bytes[at + 1] !== LINE_FEED) bytes[end++] = LINE_FEED;
  }
  return new Uint8Array(bytes.buffer.transfer(end));
}

function decodedAs(bytes: Uint8Array, declared: string | null) {
  try {
    return decodeText(bytes, declared);
  } catch (error) {
    const mended = declared === null ? null : mendedAs(bytes, declared);
    if (mended === null) throw error;
    return mended;
  }
}

function mendedAs(bytes: Uint8Array, declared: string) {
  if (bytes.includes(0)) return null;
  try {
    const mended = lenient(bytes, declared);
    return countOf(mended.text, REPLACEMENT) > mended.text.length * MAX_DAMAGED + 1 ? null : mended;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
