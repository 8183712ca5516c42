import { UnreadableDocument } from "../../../extracted-document.ts";
import { releaseBytes } from "../../../release-bytes.ts";

const FIRST_BYTES = 1 << 16;
const FIRST_STRINGS = 1 << 10;
const MAX_BYTES = 32 << 20;
const MAX_STRINGS = 4 << 20;
/** UTF-8 needs at most so many bytes for each UTF-16 code unit. */
const BYTES_A_CHARACTER = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** The texts that cells refer to by index, one after the other in a single buffer. */
export class SharedStrings {
  #bytes = new Uint8Array(FIRST_BYTES);
  #ends = new Uint32Array(FIRST_STRINGS);
  #count = 0;

  /** @throws UnreadableDocument when the texts exceed a Worker's memory. */
  add(text: string): void {
    const start = this.#endOf(this.#count - 1);
    const needed = start + text.length * BYTES_A_CHARACTER;
    if (needed > this.#bytes.length) this.#bytes = growBytes(this.#bytes, needed, MAX_BYTES);
    if (this.#count === this.#ends.length) {
      if (this.#count === MAX_STRINGS) throw tooManyTexts();
      const ends = new Uint32Array(this.#count * 2);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    const { written: length } = encoder.encodeInto(text, this.#bytes.subarray(start));
    this.#ends[this.#count++] = start + length;
  }

  /** Bytes of a text, as UTF-8: at least as many as it has characters. */
  sizeOf(index: number): number {
    if (!(index >= 0 && index < this.#count)) return 0;
    return this.#endOf(index) - this.#endOf(index - 1);
  }

  at(index: number): string {
    if (!(index >= 0 && index < this.#count)) return "";
    return decoder.decode(this.#bytes.subarray(this.#endOf(index - 1), this.#endOf(index)));
  }

  release(): void {
    releaseBytes(this.#bytes);
    this.#count = 0;
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }
}

function growBytes(
  bytes: Uint8Array<ArrayBuffer>,
  needed: number,
  most: number,
): Uint8Array<ArrayBuffer> {
  if (needed > most) throw tooManyTexts();
  return new Uint8Array(bytes.buffer.transfer(Math.min(most, Math.max(needed, bytes.length * 2))));
}

const tooManyTexts = () =>
  new UnreadableDocument("workbook has too many texts; split it into several");
