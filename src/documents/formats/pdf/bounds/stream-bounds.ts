import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { Inflate } from "fflate";
import { UnreadableDocument } from "../../../extracted-document.ts";
import { checkCharacterMap, SavedStates } from "./content-bounds.ts";

const MIB = 1 << 20;
const MAX_STREAM_BYTES = 48 * MIB;
const MAX_OBJECTS = 500_000;
const DICTIONARY_BYTES = 2_000;
const STEP_BYTES = 1 << 11;
const ZLIB_HEADER_BYTES = 2;

const EXPANDS = "compressed data expands too much";

/**
 * Checks a PDF's streams before pdf.js inflates them in memory.
 * @throws UnreadableDocument when one expands beyond bounds, or there are too many objects.
 */
export function* checkStreams(bytes: Uint8Array): CooperativeWork<void> {
  let objects = 0;
  const states = new SavedStates();
  for (const { dictionary, data } of streamsOf(bytes)) {
    if (++objects > MAX_OBJECTS) throw new UnreadableDocument("PDF holds too many objects");
    yield* checkStream(data, dictionary, states);
  }
}

/** `between`: the range of the text between the previous stream and this one. */
type PdfStream = { dictionary: string; data: Uint8Array; between: [number, number] };

/** A PDF's streams in file order, found without the file's own table. */
export function* streamsOf(bytes: Uint8Array): Generator<PdfStream> {
  let from = 0;
  let at = indexOf(bytes, "stream", 0);
  while (at >= 0) {
    const before = textOf(bytes, Math.max(from, at - DICTIONARY_BYTES), at);
    const dictionary = before.slice(before.lastIndexOf(" obj"));
    const start = afterLineEnd(bytes, at + "stream".length);
    const end = streamEnd(bytes, start, dictionary);
    yield { dictionary, data: bytes.subarray(start, end), between: [from, at] };
    from = Math.max(end, start) + "endstream".length;
    at = indexOf(bytes, "stream", from);
  }
}

function* checkStream(
  data: Uint8Array,
  dictionary: string,
  states: SavedStates,
): CooperativeWork<void> {
  yield data.length + dictionary.length;
  const filters = dictionary.match(/\/(FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL)\b/g) ?? [];
  if (filters.length > 1) throw new UnreadableDocument(EXPANDS);
  // Pictures are not decoded.
  if (/\/Subtype\s*\/Image\b/.test(dictionary)) return;
  const look = OTHER_STREAM.test(dictionary) ? null : new ContentLook(states);
  if (/Fl/.test(filters[0] ?? "")) yield* unpacked(data, look);
  else if (filters.length === 0 && !/\/Filter\b/.test(dictionary)) look?.add(data);
  look?.end();
}

/** Unpacks a stream as far as it is sound. @throws UnreadableDocument */
function* unpacked(data: Uint8Array, look: ContentLook | null): CooperativeWork<void> {
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
    for (const chunk of chunks) look?.add(chunk);
    chunks = [];
    if (inflated > MAX_STREAM_BYTES) throw new UnreadableDocument(EXPANDS);
    yield STEP_BYTES;
  }
}

/** A stream that is neither a page's content nor a character map. */
const OTHER_STREAM =
  /\/(?:Length1|Length3|FontFile\d?|Type1C|CIDFontType0C|OpenType|ObjStm|XRef|Metadata|EmbeddedFile|XML|FunctionType|ShadingType|Alternate)\b/;
/** Longer maps are cut here; each of their ranges takes some twenty characters. */
const MAX_MAP_CHARACTERS = 4 << 20;
const MAP_SIGN = "begincmap";
const SIGN_BYTES = 4_096;

/** Checks a stream that may be a page's content or a character map. */
class ContentLook {
  readonly #states: SavedStates;
  #map: string | null = null;
  #isFirst = true;

  constructor(states: SavedStates) {
    this.#states = states;
  }

  add(bytes: Uint8Array): void {
    if (this.#isFirst && textOf(bytes, 0, SIGN_BYTES).includes(MAP_SIGN)) this.#map = "";
    this.#isFirst = false;
    if (this.#map === null) this.#states.add(bytes);
    else if (this.#map.length < MAX_MAP_CHARACTERS) {
      this.#map += new TextDecoder("latin1").decode(bytes);
    }
  }

  end(): void {
    this.#states.endStream();
    if (this.#map !== null) checkCharacterMap(this.#map);
  }
}

function streamEnd(bytes: Uint8Array, start: number, dictionary: string): number {
  const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary)?.[1] ?? Number.NaN);
  const isRight = Number.isFinite(length) && isNear(bytes, start + length);
  if (isRight) return start + length;
  const end = indexOf(bytes, "endstream", start);
  return end < 0 ? bytes.length : end;
}

const isNear = (bytes: Uint8Array, at: number) =>
  textOf(bytes, at, at + "endstream".length + 4).includes("endstream");

function afterLineEnd(bytes: Uint8Array, at: number): number {
  const afterReturn = bytes[at] === 0x0d ? at + 1 : at;
  return bytes[afterReturn] === 0x0a ? afterReturn + 1 : afterReturn;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, Math.max(from, to)));
}

function indexOf(bytes: Uint8Array, word: string, from: number): number {
  const first = word.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let matched = 1;
    while (matched < word.length && bytes[at + matched] === word.charCodeAt(matched)) matched++;
    if (matched === word.length) return at;
  }
  return -1;
}
