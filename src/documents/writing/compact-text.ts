import { UnreadableDocument } from "../extracted-document.ts";
import { releaseBytes } from "../release-bytes.ts";

const MIB = 1 << 20;
/** Bytes of UTF-8. The finished string takes up to twice as much, beside these bytes. */
export const MAX_TEXT_BYTES = 32 * MIB;
const SETTLE_CHARACTERS = 1 << 17;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** A long text as UTF-8: half as large as a string, and without references to what was appended. */
export class CompactText {
  readonly #settled: Uint8Array[] = [];
  #settledBytes = 0;
  #pending: string[] = [];
  #pendingLength = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @throws UnreadableDocument when the text becomes larger than a Worker's memory can take. */
  append(text: string): void {
    this.#pending.push(text);
    this.#pendingLength += text.length;
    this.#length += text.length;
    if (this.#pendingLength > SETTLE_CHARACTERS) this.#settle(false);
  }

  /** The whole text, once; this object is empty afterwards. Lone surrogates become U+FFFD. */
  take(): string {
    this.#settle(true);
    const whole = new Uint8Array(this.#settledBytes);
    let at = 0;
    for (const part of this.#settled.splice(0)) {
      whole.set(part, at);
      at += part.length;
      releaseBytes(part);
    }
    this.#settledBytes = 0;
    this.#length = 0;
    const text = decoder.decode(whole);
    releaseBytes(whole);
    return text;
  }

  #settle(isLast: boolean): void {
    const text = this.#pending.join("");
    // The other half of a surrogate pair may follow.
    const end = isLast || !/[\ud800-\udbff]$/.test(text) ? text.length : text.length - 1;
    const bytes = encoder.encode(text.slice(0, end));
    this.#pending = end === text.length ? [] : [text.slice(end)];
    this.#pendingLength = text.length - end;
    this.#settledBytes += bytes.length;
    if (this.#settledBytes > MAX_TEXT_BYTES) throw tooMuchText();
    this.#settled.push(bytes);
  }
}

export const tooMuchText = () =>
  new UnreadableDocument(
    `document has more than ${MAX_TEXT_BYTES / MIB} MiB of text; split it into several`,
  );
