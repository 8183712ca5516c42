import { readFileSync } from "node:fs";
import { join } from "node:path";

import { randomFrom } from "./synthetic-text.ts";

const PARAGRAPH_WORDS = 90;
const SEED = 20_260_101;
const PATH = join(import.meta.dirname, "../../fixtures/documents/handbook.md");

export const utf8 = new TextEncoder();

/** Paragraphs of the handbook's words in any order, some of them with numbers and quotes. */
export function* paragraphs(characters: number): Generator<string> {
  const random = randomFrom(SEED);
  const words = readFileSync(PATH, "utf8").match(/\p{L}+/gu) ?? [];
  for (let length = 0; length < characters;) {
    const paragraphWords = Array.from({ length: PARAGRAPH_WORDS }, () => {
      const word = words[Math.floor(random() ** 2 * words.length)] ?? "";
      return random() < 0.08 ? `${word} ${Math.floor(random() * 10_000)}` : word;
    });
    const text = `“${paragraphWords.join(" ").replace(/((?:\S+ ){11}\S+) /g, "$1. ")}.”`;
    length += text.length + 2;
    yield text;
  }
}

/** Adds a zero-width space after every eighth character. */
export const withHidden = (text: string) => text.replace(/.{8}/g, "$&\u200b");

/** Bytes that nothing shrinks. */
export function noise(length: number): Uint8Array {
  const random = randomFrom(0);
  return Uint8Array.from({ length }, () => random() * 256);
}

export function cut(text: string, bytes: number): Uint8Array {
  const whole = utf8.encode(text);
  let end = Math.min(bytes, whole.length);
  while (end < whole.length && ((whole[end] ?? 0) & 0xc0) === 0x80) end--;
  return whole.slice(0, end);
}
