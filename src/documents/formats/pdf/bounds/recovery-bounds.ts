import { indexOfBytes } from "../../../../core/bytes/find-bytes.ts";
import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../../extracted-document.ts";

/**
 * If a PDF's table of objects is wrong, pdf.js searches for the objects itself. For each object,
 * trailer or stream without an end, it reads to the end of the file. It may read so many bytes
 * beyond the file's size: about two seconds' work.
 */
const MAX_EXTRA_BYTES = 1 << 25;
const STEP_BYTES = 1 << 16;

const [ESCAPE, OPEN, CLOSE] = [0x5c, 0x28, 0x29];
const OPENERS = new Set([0x5b, 0x3c]);
const CLOSERS = new Set([0x5d, 0x3e]);

/** @throws UnreadableDocument when pdf.js would read far more than the file for what has no end */
export function* checkRecovery(bytes: Uint8Array): CooperativeWork<void> {
  const limit = bytes.length + MAX_EXTRA_BYTES;
  let readBytes = 0;
  const add = (from: number, to: number) => {
    readBytes += to - from;
    if (readBytes > limit)
      throw new UnreadableDocument(
        "PDF is damaged: too many of its objects have no end",
        "damaged",
      );
  };
  let next: Word | null = yield* nextWord(bytes, 0);
  let endOfStream = -1;
  while (next !== null) {
    const { kind, end } = next;
    if (kind === "stream") {
      // Searched only while one is left; the same `endstream` ends all streams before it.
      if (endOfStream < end) endOfStream = indexOfBytes(bytes, "endstream", end);
      if (endOfStream < 0) endOfStream = bytes.length;
      add(end, endOfStream);
    }
    const following: Word | null = yield* nextWord(bytes, end);
    if (kind === "object" || kind === "trailer") {
      const to = following === null ? bytes.length : following.end;
      if (!(yield* isClosed(bytes, end, to))) add(end, bytes.length);
    }
    next = following;
  }
}

type Word = { kind: "object" | "trailer" | "stream" | "end"; end: number };

const [O, T, S, D] = [0x6f, 0x74, 0x73, 0x64];

function* nextWord(bytes: Uint8Array, from: number): CooperativeWork<Word | null> {
  for (let at = from, end = 0; at < bytes.length; at = end) {
    end = Math.min(bytes.length, at - (at % STEP_BYTES) + STEP_BYTES);
    const word = wordIn(bytes, at, end);
    if (word !== null) return word;
    yield STEP_BYTES;
  }
  return null;
}

function wordIn(bytes: Uint8Array, from: number, to: number): Word | null {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    const isEnd = bytes[at - 1] === D;
    if (byte === O && isWordAt(bytes, "obj", at)) {
      return { kind: isEnd ? "end" : "object", end: at + "obj".length };
    }
    if (byte === S && isWordAt(bytes, "stream", at)) {
      return { kind: isEnd ? "end" : "stream", end: at + "stream".length };
    }
    if (byte === T && isWordAt(bytes, "trailer", at)) {
      return { kind: "trailer", end: at + "trailer".length };
    }
  }
  return null;
}

function* isClosed(bytes: Uint8Array, from: number, to: number): CooperativeWork<boolean> {
  let depth = 0;
  let strings = 0;
  for (let at = from; at < to; at++) {
    if (at % STEP_BYTES === 0) yield STEP_BYTES;
    const byte = bytes[at] ?? 0;
    if (byte === ESCAPE) at += strings > 0 ? 1 : 0;
    else if (byte === OPEN) strings++;
    else if (strings > 0) strings -= byte === CLOSE ? 1 : 0;
    else if (OPENERS.has(byte)) depth++;
    else if (CLOSERS.has(byte)) depth--;
  }
  return depth <= 0 && strings === 0;
}

function isWordAt(bytes: Uint8Array, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index++) {
    if (bytes[at + index] !== word.charCodeAt(index)) return false;
  }
  return true;
}
