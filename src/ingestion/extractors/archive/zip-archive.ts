import { Inflate } from "fflate";
import type { Stretches } from "../../../core/stretches.ts";
import { UnreadableDocument } from "../extracted-document.ts";

const MIB = 1 << 20;
/** What the parts that are read may expand to, all together. */
const MAX_INFLATED_BYTES = 256 * MIB;
/** Above this size, data that shrinks better than any document does is a bomb. */
const SUSPECT_BYTES = 16 * MIB;
const MAX_RATIO = 200;
const MAX_ENTRIES = 20_000;
const INPUT_STEP_BYTES = 1 << 14;
const OUTPUT_STEP_BYTES = 1 << 18;

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED_FLAG = 1;
const METHOD_STORED = 0;
const METHOD_DEFLATED = 8;

const DAMAGED = "archive is damaged or incomplete";
const EXPANDS = "compressed data expands too much";

type Entry = {
  name: string;
  method: number;
  isEncrypted: boolean;
  compressedSize: number;
  /** As the archive declares it. */
  size: number;
  offset: number;
};

const names = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false });

/**
 * A ZIP file (PKWARE APPNOTE) whose parts are inflated step by step and counted while they are:
 * what it declares to be too large is refused before, what turns out to be is refused then.
 * @throws UnreadableDocument when it is damaged, encrypted, or expands beyond bounds.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries = new Map<string, Entry>();
  #inflatedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#readDirectory();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** The whole part, null when there is none. Names are matched exactly. */
  *read(name: string): Stretches<Uint8Array | null> {
    if (!this.has(name)) return null;
    const chunks: Uint8Array[] = [];
    for (const chunk of this.chunks(name)) {
      chunks.push(chunk);
      yield chunk.length;
    }
    const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  /** The part piece by piece; nothing when there is none. */
  *chunks(name: string): Generator<Uint8Array> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (entry.isEncrypted) throw new UnreadableDocument("document is encrypted");
    if (this.#inflatedBytes + entry.size > MAX_INFLATED_BYTES) {
      throw new UnreadableDocument(EXPANDS);
    }
    const data = this.#dataOf(entry);
    if (entry.method === METHOD_STORED) {
      this.#count(data.length);
      for (let at = 0; at < data.length; at += OUTPUT_STEP_BYTES) {
        yield data.subarray(at, at + OUTPUT_STEP_BYTES);
      }
    } else if (entry.method === METHOD_DEFLATED) yield* this.#inflate(data);
    else throw new UnreadableDocument(DAMAGED);
  }

  *#inflate(data: Uint8Array): Generator<Uint8Array> {
    let ready: Uint8Array[] = [];
    let produced = 0;
    const inflate = new Inflate((chunk) => ready.push(chunk));
    for (let at = 0; at < data.length; at += INPUT_STEP_BYTES) {
      const end = Math.min(at + INPUT_STEP_BYTES, data.length);
      try {
        inflate.push(data.subarray(at, end), end === data.length);
      } catch {
        throw new UnreadableDocument(DAMAGED);
      }
      for (const chunk of ready) {
        this.#count(chunk.length);
        produced += chunk.length;
        if (produced > SUSPECT_BYTES && produced > end * MAX_RATIO) {
          throw new UnreadableDocument(EXPANDS);
        }
        yield chunk;
      }
      ready = [];
    }
  }

  #count(bytes: number): void {
    this.#inflatedBytes += bytes;
    if (this.#inflatedBytes > MAX_INFLATED_BYTES) throw new UnreadableDocument(EXPANDS);
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    const count = this.#view.getUint16(end + 10, true);
    if (count > MAX_ENTRIES) throw new UnreadableDocument("archive holds too many parts");
    let at = this.#view.getUint32(end + 16, true);
    for (let index = 0; index < count; index++) {
      if (!this.#isAt(at, CENTRAL_SIGNATURE, CENTRAL_BYTES)) throw new UnreadableDocument(DAMAGED);
      const nameLength = this.#view.getUint16(at + 28, true);
      const nameStart = at + CENTRAL_BYTES;
      const name = names.decode(this.#bytes.subarray(nameStart, nameStart + nameLength));
      this.#entries.set(name, {
        name,
        method: this.#view.getUint16(at + 10, true),
        isEncrypted: (this.#view.getUint16(at + 8, true) & ENCRYPTED_FLAG) !== 0,
        compressedSize: this.#view.getUint32(at + 20, true),
        size: this.#view.getUint32(at + 24, true),
        offset: this.#view.getUint32(at + 42, true),
      });
      const extraLength = this.#view.getUint16(at + 30, true);
      at = nameStart + nameLength + extraLength + this.#view.getUint16(at + 32, true);
    }
  }

  #findEnd(): number {
    const last = this.#bytes.length - END_BYTES;
    const first = Math.max(0, last - MAX_COMMENT_BYTES);
    for (let at = last; at >= first; at--) {
      if (this.#view.getUint32(at, true) === END_SIGNATURE) return at;
    }
    throw new UnreadableDocument(DAMAGED);
  }

  #dataOf(entry: Entry): Uint8Array {
    const { offset, compressedSize } = entry;
    if (!this.#isAt(offset, LOCAL_SIGNATURE, LOCAL_BYTES)) throw new UnreadableDocument(DAMAGED);
    const nameLength = this.#view.getUint16(offset + 26, true);
    const start = offset + LOCAL_BYTES + nameLength + this.#view.getUint16(offset + 28, true);
    if (start + compressedSize > this.#bytes.length) throw new UnreadableDocument(DAMAGED);
    return this.#bytes.subarray(start, start + compressedSize);
  }

  #isAt(offset: number, signature: number, size: number): boolean {
    if (offset + size > this.#bytes.length) return false;
    return this.#view.getUint32(offset, true) === signature;
  }
}
