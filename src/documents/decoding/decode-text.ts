import { walkParts, type CooperativeWork } from "../../core/work/cooperative.ts";
import { UnreadableDocument } from "../extracted-document.ts";
import { countNote } from "../notes.ts";
import { CompactText } from "../writing/compact-text.ts";
import { decodeAs } from "./decode-as.ts";
import { detectEncoding } from "./detect-encoding.ts";

export type DecodedText = { text: string; notes: string[] };

const NOT_RECOGNISED = "text encoding is not recognised";
const REPLACEMENT = "\ufffd";
/** One damaged character among so many good ones is damage, not a sign of another encoding. */
const GOOD_PER_DAMAGED = 50;
const SAMPLE_CHARACTERS = 1 << 16;
/** Share of a UTF-16 text without a mark that must look like text. */
const PLAUSIBLE_SHARE = 0.85;
/** Encodings of seven bits that are not read, by the mark that sets them apart from ASCII. */
const SEVEN_BIT: [name: RegExp, mark: number][] = [
  [/^(?:x-)?(?:unicode-1-1-)?utf-?7/i, 0x2b],
  [/^hz\b/i, 0x7e],
  [/^iso-2022-(?:kr|cn)/i, 0x1b],
];

/**
 * Decodes bytes: by byte-order mark, as UTF-8 when valid, as UTF-16 when zero bytes show it, then
 * as `declared`, then as the encoding that reads most like language.
 * @throws UnreadableDocument when nothing fits with confidence: mojibake is worse than an error.
 */
export function* decodeText(
  bytes: Uint8Array,
  declared: string | null,
): CooperativeWork<DecodedText> {
  const name = declared ?? "";
  if (SEVEN_BIT.some(([names, mark]) => names.test(name) && bytes.includes(mark))) {
    throw new UnreadableDocument(`text encoding ${name} is not read`, "encoding");
  }
  const isUtf8 = declared !== null && standardEncodingOf(declared) === "utf-8";
  const decoded =
    (yield* decodeUtf32(bytes, true)) ??
    (yield* decodeUtf32(bytes, false)) ??
    (yield* decodeMarked(bytes)) ??
    (yield* decodeUtf8(bytes, isUtf8 ? 1 : GOOD_PER_DAMAGED, declared)) ??
    (yield* decodeOther(bytes, declared)) ??
    (isUtf8 ? yield* decodeLeniently(bytes, "utf-8") : null);
  if (decoded === null) throw new UnreadableDocument(NOT_RECOGNISED, "encoding");
  return decoded;
}

const REPLACED_AT_ONCE = 1 << 14;

export const withLineFeeds = (source: { text: string }) => replaceAll(source, /\r\n?/g, "\n");

/** `pattern` matches one character or two. Clears `source`: both texts would fill the memory. */
export function* replaceAll(
  source: { text: string },
  pattern: RegExp,
  by: string,
): CooperativeWork<string> {
  if (source.text.search(pattern) < 0) return source.text;
  const result = new CompactText();
  for (let at = 0, end = 0; at < source.text.length; at = end) {
    end = at + REPLACED_AT_ONCE;
    const isAcross = source.text.slice(end - 1, end + 1).match(pattern)?.[0].length === 2;
    if (isAcross) end++;
    result.append(source.text.slice(at, end).replace(pattern, by));
    yield end - at;
  }
  source.text = "";
  return result.take();
}

function* decodeMarked(bytes: Uint8Array): CooperativeWork<DecodedText | null> {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return yield* decodeLeniently(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return yield* decodeLeniently(bytes, "utf-16be");
  const isUtf8 = first === 0xef && second === 0xbb && third === 0xbf;
  return isUtf8 ? yield* decodeLeniently(bytes, "utf-8") : null;
}

const UNITS_AT_ONCE = 1 << 12;

/** Each four bytes are one character, but for a mark; no other text reads so. */
function* decodeUtf32(
  bytes: Uint8Array,
  isLittleEndian: boolean,
): CooperativeWork<DecodedText | null> {
  if (bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = new CompactText();
  for (let at = 0; at < bytes.length; at += 4 * UNITS_AT_ONCE) {
    const units: number[] = [];
    for (let unit = at; unit < Math.min(bytes.length, at + 4 * UNITS_AT_ONCE); unit += 4)
      units.push(view.getUint32(unit, isLittleEndian));
    if (!units.every(isCharacter)) return null;
    text.append(String.fromCodePoint(...units));
    yield units.length;
  }
  return { text: text.take().replace(/^\ufeff/, ""), notes: [] };
}

/** Planes 4 to 13 are empty: in UTF-16, their numbers are a character beside a line end or tab. */
const isCharacter = (unit: number) =>
  (unit > 0 && unit < 0x40000) || (unit >= 0xe0000 && unit <= 0x10ffff);
/** A share of all bytes; in UTF-16, every second byte of plain letters is zero. */
const MAX_ZEROS = 0.25;
/** Chinese in UTF-16 has a zero byte in each space and line end. */
const MAX_STRAY_ZEROS = 0.03;
const ZEROS_IN_A_ROW = 1 << 12;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\x01-\x06\x0e-\x1a\x1c-\x1f]/;

/** UTF-8, or with few zero bytes another encoding; the zero bytes between characters are left out. */
function* withoutZeros(
  bytes: Uint8Array,
  goodPerDamaged: number,
  declared: string | null,
): CooperativeWork<DecodedText | null> {
  const bare = new Uint8Array(bytes.length);
  let [at, zeros] = [0, 0];
  for (; at < bytes.length && zeros <= at * MAX_ZEROS + ZEROS_IN_A_ROW; at++) {
    if (bytes[at] === 0) zeros++;
    else bare[at - zeros] = bytes[at] ?? 0;
    if (at % UNITS_AT_ONCE === 0) yield UNITS_AT_ONCE / 8;
  }
  if (zeros > at * MAX_ZEROS) return null;
  const remainder = bare.subarray(0, at - zeros);
  const decoded =
    (yield* decodeUtf8(remainder, goodPerDamaged, declared)) ??
    (zeros > at * MAX_STRAY_ZEROS ? null : yield* decodeOther(remainder, declared));
  if (decoded === null || CONTROLS.test(decoded.text)) return null;
  return { ...decoded, notes: [...decoded.notes, ...countNote(zeros, "zero byte", "removed")] };
}

function* decodeUtf8(
  bytes: Uint8Array,
  goodPerDamaged: number,
  declared: string | null,
): CooperativeWork<DecodedText | null> {
  if (bytes.includes(0))
    return (yield* withoutZeros(bytes, goodPerDamaged, declared)) ?? (yield* decodeUtf16(bytes));
  const text = yield* decodeAs(bytes, "utf-8");
  // Seven-bit Japanese is valid UTF-8 and reads as nonsense.
  if (text !== null) return text.includes("\u001b$") ? null : { text, notes: [] };
  const mended = yield* decodeLeniently(bytes, "utf-8");
  let good = 0;
  yield* walkParts(mended.text, (part) => {
    good += part.match(GOOD_BEYOND_ASCII)?.length ?? 0;
  });
  if (good >= mended.damaged * goodPerDamaged) return mended;
  // UTF-8 whose end is missing: no other encoding has whole multi-byte characters before it.
  const isCutOff = good > 0 && mended.damaged === 1 && mended.text.endsWith(REPLACEMENT);
  return isCutOff && (yield* decodeAs(bytes, "utf-8", { isCut: true })) !== null ? mended : null;
}

const GOOD_BEYOND_ASCII = /[^\0-\u007f\ufffd]/gu;

/** Zero bytes are halves of UTF-16 characters, or the file is not text. */
function* decodeUtf16(bytes: Uint8Array): CooperativeWork<DecodedText | null> {
  const even = bytes.subarray(0, bytes.length & ~1);
  let best = { share: 0, text: "" };
  for (const encoding of ["utf-16le", "utf-16be"]) {
    const text = (yield* decodeAs(even, encoding)) ?? "";
    const share = plausibleShare(text);
    if (share > best.share) best = { share, text };
  }
  if (best.share < PLAUSIBLE_SHARE) throw new UnreadableDocument(NOT_RECOGNISED, "encoding");
  return { text: best.text, notes: [] };
}

/** Usual characters: the wrong byte order yields rare and unassigned ones. */
function plausibleShare(text: string): number {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  if (sample === "") return 0;
  const usual =
    sample.match(
      /[\t\n\r\u0020-\u007e\u00a0-\u024f\u0370-\u06ff\u0900-\u0e7f\u2010-\u2027\u20ac\u3000-\u30ff\u4e00-\u9fa5\uac00-\ud7a3\uff00-\uff5e]/gu,
    )?.length ?? 0;
  const simple = sample.match(/[\s\u0020-\u007e\u3000-\u3002\uff0c]/gu)?.length ?? 0;
  // A word without a single space, mark or line end is not enough text to decide.
  return simple === 0 ? 0 : usual / sample.length;
}

/** Read for ISO-8859-1 as well. Programs declare both without a look: all bytes are valid. */
const ANY_BYTES = "windows-1252";

function* decodeOther(
  bytes: Uint8Array,
  declared: string | null,
): CooperativeWork<DecodedText | null> {
  if (bytes.includes(0)) return null;
  const encoding = declared === null ? null : standardEncodingOf(declared);
  const text = encoding === null ? null : yield* decodeAs(bytes, encoding);
  if (text !== null && encoding !== ANY_BYTES) return { text, notes: [] };
  const detected = yield* detectEncoding(bytes);
  if (text !== null && (detected?.isOtherScript !== true || detected.isAssumed))
    return { text, notes: [] };
  if (detected === null) return null;
  const { text: decoded, notes } = yield* decodeLeniently(bytes, detected.encoding);
  const assumed = `text encoding is assumed to be ${detected.encoding.toUpperCase()}`;
  return { text: decoded, notes: detected.isAssumed ? [assumed, ...notes] : notes };
}

/**
 * The standard name of an encoding; null when there is none. A declaration of UTF-16 without zeros
 * is a mistake, and reads as Chinese nonsense (the HTML standard reads it as UTF-8, §13.2.3.2).
 */
export function standardEncodingOf(declared: string): string | null {
  try {
    const { encoding } = new TextDecoder(declared);
    return encoding.startsWith("utf-16") ? null : encoding;
  } catch {
    return null;
  }
}

/** Replaces bytes that the encoding does not decode. @throws RangeError for an unknown encoding. */
export function* decodeLeniently(
  bytes: Uint8Array,
  encoding: string,
): CooperativeWork<DecodedText & { damaged: number }> {
  const text = (yield* decodeAs(bytes, encoding, { isLenient: true })) ?? "";
  let damaged = 0;
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) {
    damaged++;
    yield 1;
  }
  const what = damaged === 1 ? "1 character was" : `${damaged} characters were`;
  return { text, damaged, notes: damaged === 0 ? [] : [`${what} damaged and replaced`] };
}

const DECLARATION_BYTES = 2_048;
const DECLARATIONS = [
  /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/i,
  /<meta[^>]{1,512}?\bcharset\s{0,16}=\s{0,16}["']?\s{0,16}([\w.:-]+)/i,
  /^@charset "([\w.:-]+)"/,
  /^(?:[^\n]*\n)?[^\n]*\bcoding[:=]\s*([\w.-]+)/,
];

export function declaredEncoding(bytes: Uint8Array, mimeType: string | null): string | null {
  const parameter = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mimeType ?? "")?.[1];
  if (parameter !== undefined) return parameter;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  return DECLARATIONS.find((pattern) => pattern.test(head))?.exec(head)?.[1] ?? null;
}
