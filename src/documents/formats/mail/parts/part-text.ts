import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import {
  declaredEncoding,
  decodeText,
  decodeLeniently,
  withLineFeeds,
  type DecodedText,
} from "../../../decoding/decode-text.ts";
import { reasonOf } from "../../../extracted-document.ts";
import { ownEntryOf } from "../../archive/own-entry.ts";
import type { MailPart } from "./mail-parts.ts";

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
const RETURN = 0x0d;
const LINE_FEED = 0x0a;
const MAX_DAMAGED = 0.02;

/** `charset` is what the part's header says. @throws UnreadableDocument when no encoding fits. */
export function* textOfPart(
  bytes: Uint8Array,
  charset: string | undefined,
): CooperativeWork<{ text: string; notes: string[] }> {
  const charsetName = charset?.trim().toLowerCase() ?? "";
  const declared =
    charsetName === ""
      ? declaredEncoding(bytes, null)
      : (ownEntryOf(OTHER_NAMES, charsetName) ?? charsetName);
  const decoded = yield* decodeBytes(bytes, declared);
  return { text: yield* withLineFeeds(decoded), notes: decoded.notes };
}

/** The text of a part; empty where it cannot be decoded. */
export function* textOrEmpty(
  bytes: Uint8Array,
  { parameters }: Pick<MailPart, "parameters">,
): CooperativeWork<string> {
  try {
    return (yield* textOfPart(bytes, parameters.get("charset"))).text;
  } catch (error) {
    reasonOf(error);
    return "";
  }
}

/** In the bytes: a long string would be in memory twice. `bytes` is empty afterwards. */
export function normalizeLineEnds(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
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

function* decodeBytes(bytes: Uint8Array, declared: string | null): CooperativeWork<DecodedText> {
  try {
    return yield* decodeText(bytes, declared);
  } catch (error) {
    const mended = declared === null ? null : yield* decodeDamaged(bytes, declared);
    if (mended === null) throw error;
    return mended;
  }
}

function* decodeDamaged(bytes: Uint8Array, declared: string): CooperativeWork<DecodedText | null> {
  if (bytes.includes(0)) return null;
  try {
    const mended = yield* decodeLeniently(bytes, declared);
    return mended.damaged > mended.text.length * MAX_DAMAGED + 1 ? null : mended;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
