import { Unzlib } from "fflate";
import { streamsOf } from "./stream-bounds.ts";

const MIB = 1 << 20;
const MAX_BETWEEN_BYTES = 8 * MIB;
/** Limit for all object streams together; beyond it they are not checked here. */
const MAX_INFLATED_BYTES = 32 * MIB;
/** Deflate compresses about a thousandfold at most: a piece expands to two megabytes. */
const STEP_BYTES = 1 << 11;
const MIN_PIECE_CHARACTERS = 1 << 16;
/** Most characters carried over from a piece: longer than any font's dictionary. */
const MAX_LEFT_CHARACTERS = 1 << 16;

/** Between streams, and inside object streams in pieces that end after a dictionary. */
export function* objectTexts(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder("latin1");
  let end = 0;
  let left = MAX_INFLATED_BYTES;
  for (const { dictionary, data, between } of streamsOf(bytes)) {
    end = data.byteOffset - bytes.byteOffset + data.byteLength;
    const [from, to] = between;
    yield decoder.decode(bytes.subarray(from, Math.min(to, from + MAX_BETWEEN_BYTES)));
    if (!/\/ObjStm\b/.test(dictionary)) continue;
    const isPlain = !/\/Filter\b/.test(dictionary);
    const texts = isPlain ? plainTexts(data, left) : inflatedTexts(data, left);
    for (const piece of wholeDictionaries(texts)) {
      left -= piece.length;
      yield piece;
    }
  }
  yield decoder.decode(bytes.subarray(end, end + MAX_BETWEEN_BYTES));
}

function* plainTexts(data: Uint8Array, maxBytes: number): Generator<string> {
  const decoder = new TextDecoder("latin1");
  const end = Math.min(data.length, maxBytes);
  for (let at = 0; at < end; at += MIN_PIECE_CHARACTERS) {
    yield decoder.decode(data.subarray(at, Math.min(at + MIN_PIECE_CHARACTERS, end)));
  }
}

/** Up to the bound; of damaged data, the part before the damage. */
function* inflatedTexts(data: Uint8Array, maxBytes: number): Generator<string> {
  const decoder = new TextDecoder("latin1");
  let left = maxBytes;
  let ready: Uint8Array[] = [];
  const inflate = new Unzlib((chunk) => ready.push(chunk));
  for (let at = 0; at < data.length && left > 0; at += STEP_BYTES) {
    const end = Math.min(at + STEP_BYTES, data.length);
    try {
      inflate.push(data.subarray(at, end), end === data.length);
    } catch {
      left = 0;
    }
    for (const chunk of ready) {
      left -= chunk.length;
      yield decoder.decode(chunk);
    }
    ready = [];
  }
}

function* wholeDictionaries(texts: Iterable<string>): Generator<string> {
  let held = "";
  for (const text of texts) {
    held += text;
    if (held.length < MIN_PIECE_CHARACTERS) continue;
    const end = held.lastIndexOf(">>");
    const cut = end < held.length - MAX_LEFT_CHARACTERS ? held.length : end + ">>".length;
    yield held.slice(0, cut);
    held = held.slice(cut);
  }
  if (held !== "") yield held;
}
