import { Inflate } from "fflate";
import { inflateRawSync } from "node:zlib";

import { indexOfBytes } from "../../../../core/bytes/find-bytes.ts";
import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../../extracted-document.ts";
import { EXPANDS } from "../../archive/zip-archive.ts";
import { ObjectSigns } from "./object-signs.ts";

const MIB = 1 << 20;
const MAX_STREAM_BYTES = 48 * MIB;
const MAX_OBJECTS = 500_000;
const MAX_BETWEEN_BYTES = 8 * MIB;
/** A picture's dictionary may hold its colours. */
const DICTIONARY_BYTES = 4_096;
/** Deflate compresses no further; a piece expands to two megabytes. */
const DEFLATE_RATIO = 1_032;
const STEP_BYTES = 1 << 11;
const PART_BYTES = 1 << 17;
const ZLIB_HEADER_BYTES = 2;
/** Most streams of pages are smaller, packed and unpacked: the runtime unpacks these at once. */
const SMALL_BYTES = 1 << 16;
const SMALL_UNPACKED_BYTES = 1 << 19;

/** Before pdf.js inflates them in memory. @throws UnreadableDocument beyond bounds */
export function* checkStreams(bytes: Uint8Array): CooperativeWork<ObjectSigns> {
  const states = new SavedStates();
  const signs = new ObjectSigns();
  const scanBetween = function* (from: number, to: number) {
    signs.isCut ||= to - from > MAX_BETWEEN_BYTES;
    const look = objectLook(signs);
    yield* addParts(bytes.subarray(from, Math.min(to, from + MAX_BETWEEN_BYTES)), look);
    look.end();
  };
  let objects = 0;
  let from = 0;
  let at = indexOfBytes(bytes, "stream", 0);
  while (at >= 0) {
    if (++objects > MAX_OBJECTS) throw new UnreadableDocument("PDF has too many objects");
    const before = latin1(bytes.subarray(Math.max(from, at - DICTIONARY_BYTES), at));
    const dictionary = before.slice(Math.max(0, before.lastIndexOf(" obj")));
    const start = afterLineEnd(bytes, at + "stream".length);
    const end = streamEnd(bytes, start, dictionary);
    yield* scanBetween(from, at);
    yield* checkStream(bytes.subarray(start, end), dictionary, lookOf(dictionary, states, signs));
    from = Math.max(end, start) + "endstream".length;
    at = indexOfBytes(bytes, "stream", from);
  }
  yield* scanBetween(from, bytes.length);
  return signs;
}

type Look = { add(bytes: Uint8Array): void; end(): void };

/** A stream that is neither a page's content nor a character map. */
const OTHER_STREAM =
  /\/(?:Length1|Length3|FontFile\d?|Type1C|CIDFontType0C|OpenType|XRef|Metadata|EmbeddedFile|XML|FunctionType|ShadingType|Alternate)\b/;

function lookOf(dictionary: string, states: SavedStates, signs: ObjectSigns): Look | null {
  if (/\/ObjStm\b/.test(dictionary)) return objectLook(signs);
  return OTHER_STREAM.test(dictionary) ? null : contentLook(states);
}

/** Entries of pictures; a thumbnail has no subtype. */
const PICTURE = /\/Subtype\s*\/Image\b|\/(?:BitsPerComponent|ImageMask)\b/;
const PACKING = /\/(FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL)\b/g;

/** Streams that pdf.js unpacks for a page's text; the build bounds what it unpacks of others. */
function* checkStream(
  data: Uint8Array,
  dictionary: string,
  look: Look | null,
): CooperativeWork<void> {
  yield data.length + dictionary.length;
  if (PICTURE.test(dictionary)) return;
  if (look === null && data.length <= MAX_STREAM_BYTES / DEFLATE_RATIO) return;
  const filters = dictionary.match(PACKING) ?? [];
  if (filters.length > 1 && look !== null) throw new UnreadableDocument(EXPANDS);
  if (filters.length === 1 && /Fl/.test(filters[0])) yield* unpackStream(data, look);
  else if (filters.length === 0 && !/\/Filter\b/.test(dictionary)) yield* addParts(data, look);
  look?.end();
}

function* addParts(data: Uint8Array, look: Look | null): CooperativeWork<void> {
  for (let at = 0; at < data.length; at += PART_BYTES) {
    const part = data.subarray(at, at + PART_BYTES);
    look?.add(part);
    yield part.length;
  }
}

/** Unpacks a stream as far as it is sound. @throws UnreadableDocument */
function* unpackStream(data: Uint8Array, look: Look | null): CooperativeWork<void> {
  const small = data.length <= SMALL_BYTES ? unpackSmall(data) : null;
  if (small !== null) {
    yield* addParts(small, look);
    return;
  }
  let inflated = 0;
  let chunks: Uint8Array[] = [];
  const inflate = new Inflate((chunk) => {
    inflated += chunk.length;
    if (look !== null) chunks.push(chunk);
  });
  for (let at = ZLIB_HEADER_BYTES; at < data.length; at += STEP_BYTES) {
    try {
      inflate.push(data.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= data.length);
    } catch {
      // Damaged data is left for the reader to judge.
      at = data.length;
    }
    for (const chunk of chunks) yield* addParts(chunk, look);
    chunks = [];
    if (inflated > MAX_STREAM_BYTES) throw new UnreadableDocument(EXPANDS);
    yield STEP_BYTES;
  }
}

/** Null for a stream that is damaged or larger. */
function unpackSmall(data: Uint8Array): Uint8Array | null {
  try {
    const options = { maxOutputLength: SMALL_UNPACKED_BYTES };
    return inflateRawSync(data.subarray(ZLIB_HEADER_BYTES), options);
  } catch {
    return null;
  }
}

/** Longer maps are cut here; each of their ranges takes some twenty characters. */
const MAX_MAP_CHARACTERS = 4 << 20;
const MAP_SIGN = "begincmap";
const SIGN_BYTES = 4_096;

function contentLook(states: SavedStates): Look {
  let map: string | null = null;
  let isFirst = true;
  return {
    add(bytes) {
      if (isFirst && indexOfBytes(bytes.subarray(0, SIGN_BYTES), MAP_SIGN) >= 0) map = "";
      isFirst = false;
      if (map === null) states.add(bytes);
      else if (map.length < MAX_MAP_CHARACTERS) map += latin1(bytes);
    },
    end() {
      states.endStream();
      if (map !== null) checkCharacterMap(map);
    },
  };
}

const MIN_PIECE_CHARACTERS = 1 << 16;
/** Most characters carried over from a piece: longer than any font's dictionary. */
const MAX_LEFT_CHARACTERS = 1 << 16;

/** Reads a stream of objects in pieces that end after a dictionary. */
function objectLook(signs: ObjectSigns): Look {
  let tail = "";
  return {
    add(bytes) {
      tail += latin1(bytes);
      if (tail.length < MIN_PIECE_CHARACTERS) return;
      const end = tail.lastIndexOf(">>") + ">>".length;
      const cut = end < tail.length - MAX_LEFT_CHARACTERS ? tail.length : end;
      signs.add(tail.slice(0, cut));
      tail = tail.slice(cut);
    },
    end: () => signs.add(tail),
  };
}

function streamEnd(bytes: Uint8Array, start: number, dictionary: string): number {
  const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary)?.[1] ?? Number.NaN);
  const endByLength = start + length;
  const near = latin1(bytes.subarray(endByLength, endByLength + "endstream".length + 4));
  if (near.includes("endstream")) return endByLength;
  const end = indexOfBytes(bytes, "endstream", start);
  return end < 0 ? bytes.length : end;
}

function afterLineEnd(bytes: Uint8Array, at: number): number {
  const afterReturn = bytes[at] === 0x0d ? at + 1 : at;
  return bytes[afterReturn] === 0x0a ? afterReturn + 1 : afterReturn;
}

const decoder = new TextDecoder("latin1");
const latin1 = (bytes: Uint8Array) => decoder.decode(bytes);

/** Limit of nested states in one stream; ISO 32000-1, annex C, has 28. */
const MAX_DEPTH = 2_000;
/** Limit of states that all streams together leave open, as some writers do once a page. */
const MAX_LEFT_OPEN = 8_000;
/** Limit of the characters in the ranges of one map: many times more than any font has. */
const MAX_MAPPED = 1_000_000;
/** A range of codes and its characters: of the first code, or an array with those of each. */
const RANGE = /<([\da-f\s]{1,32})>\s*<([\da-f\s]{1,32})>\s*(?:<[\da-f\s]*>|\[([^\]]*)|\d)/gi;

const [SAVE, RESTORE] = [0x71, 0x51];
const IS_BREAK = Uint8Array.from({ length: 256 }, (_, byte) =>
  " \t\n\f\r\0[]<>{}/%()".includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** Counts nested saved graphics states, for which pdf.js takes quadratic time. */
class SavedStates {
  #leftOpen = 0;
  #depth = 0;
  #token = 0;
  #tokenLength = 0;

  /** @throws UnreadableDocument */
  add(bytes: Uint8Array): void {
    let [token, length] = [this.#token, this.#tokenLength];
    for (const byte of bytes) {
      if (IS_BREAK[byte] === 0) {
        token = byte;
        length++;
        continue;
      }
      if (length === 1) this.#operator(token);
      length = 0;
    }
    [this.#token, this.#tokenLength] = [token, length];
  }

  endStream(): void {
    this.#leftOpen += this.#depth;
    this.#check(this.#leftOpen, MAX_LEFT_OPEN);
    this.#depth = 0;
    this.#tokenLength = 0;
  }

  #operator(token: number): void {
    if (token === SAVE) this.#check(++this.#depth, MAX_DEPTH);
    else if (token === RESTORE) this.#depth = Math.max(0, this.#depth - 1);
  }

  #check(value: number, limit: number): void {
    if (value > limit) throw new UnreadableDocument("PDF nests its graphics states too deeply");
  }
}

/** pdf.js expands the ranges of a map (CMap) to single characters. @throws UnreadableDocument */
function checkCharacterMap(text: string): void {
  let mapped = 0;
  for (const part of text.split("begin")) {
    if (!/^(?:bf|cid|notdef)range/.test(part)) continue;
    for (const [, from = "", to = "", array] of part.matchAll(RANGE)) {
      const codes = Math.max(0, codeOf(to) - codeOf(from));
      mapped += Math.min(codes, array?.length ?? Infinity);
      if (mapped > MAX_MAPPED) throw new UnreadableDocument("PDF's font maps too many characters");
    }
  }
}

const codeOf = (hex: string) => Number.parseInt(hex.replace(/\s/g, ""), 16) || 0;
