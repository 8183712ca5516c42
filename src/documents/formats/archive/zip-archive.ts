import { Inflate } from "fflate";

import { joinBytes } from "../../../core/bytes/join-bytes.ts";
import * as zip from "../../../core/bytes/zip/format.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../extracted-document.ts";

const MIB = 1 << 20;
const MAX_INFLATED_BYTES = 256 * MIB;
const SUSPECT_BYTES = 16 * MIB;
const MAX_RATIO = 200;
const MAX_ENTRIES = 20_000;
const INPUT_STEP_BYTES = 1 << 14;
const OUTPUT_STEP_BYTES = 1 << 18;

const METHOD_STORED = 0;
const METHOD_DEFLATED = 8;

const damagedArchive = () => new UnreadableDocument("archive is damaged or incomplete", "damaged");
export const EXPANDS = "compressed data expands too much";

type Entry = {
  name: string;
  method: number;
  isEncrypted: boolean;
  compressedSize: number;
  size: number;
  offset: number;
};

const names = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false });

/**
 * A ZIP file (PKWARE APPNOTE) whose parts are inflated in steps. A part that declares too large a
 * size is refused before it is inflated, one that turns out too large while it is.
 * @throws UnreadableDocument when it is damaged, encrypted, or expands beyond bounds.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries = new Map<string, Entry>();
  /** By name in lower case. */
  readonly #folded = new Map<string, Entry>();
  #inflatedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#readDirectory();
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  #find(name: string): Entry | undefined {
    return this.#entries.get(name) ?? this.#folded.get(name.toLowerCase());
  }

  *read(name: string): CooperativeWork<Uint8Array | null> {
    if (!this.has(name)) return null;
    const chunks: Uint8Array[] = [];
    for (const chunk of this.chunks(name)) {
      chunks.push(chunk);
      yield chunk.length;
    }
    return joinBytes(chunks);
  }

  *chunks(name: string): Generator<Uint8Array> {
    const entry = this.#find(name);
    if (entry === undefined) return;
    if (entry.isEncrypted) throw new UnreadableDocument("document is encrypted", "encrypted");
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
    else throw damagedArchive();
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
        throw damagedArchive();
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
    const { count, offset } = this.#directoryPlace();
    if (count > MAX_ENTRIES) throw new UnreadableDocument("archive has too many parts");
    let at = offset;
    for (let index = 0; index < count; index++) {
      if (!this.#isAt(at, zip.CENTRAL)) throw damagedArchive();
      const nameLength = this.#view.getUint16(at + 28, true);
      const nameStart = at + zip.CENTRAL.bytes;
      const extraStart = nameStart + nameLength;
      const extraLength = this.#view.getUint16(at + 30, true);
      const raw = names.decode(this.#bytes.subarray(nameStart, extraStart));
      // Some writers divide folders by backslashes, or name them from the root.
      const name = raw.replaceAll("\\", "/").replace(/^(?:\.?\/)+(?=.)/, "");
      const entry: Entry = {
        name,
        method: this.#view.getUint16(at + 10, true),
        isEncrypted: (this.#view.getUint16(at + 8, true) & zip.FLAG_ENCRYPTED) !== 0,
        ...this.#figuresOf(at, extraStart, extraLength),
      };
      this.#entries.set(name, entry);
      this.#folded.set(name.toLowerCase(), entry);
      at = extraStart + extraLength + this.#view.getUint16(at + 32, true);
    }
  }

  /** Sizes and offset of a part; those of ZIP64 are in an extra field, in this order. */
  #figuresOf(at: number, extraStart: number, extraLength: number) {
    const figures = {
      size: this.#view.getUint32(at + 24, true),
      compressedSize: this.#view.getUint32(at + 20, true),
      offset: this.#view.getUint32(at + 42, true),
    };
    if (!Object.values(figures).includes(zip.ELSEWHERE)) return figures;
    const end = Math.min(extraStart + extraLength, this.#bytes.length);
    let field = extraStart;
    while (field + 4 <= end && this.#view.getUint16(field, true) !== zip.EXTRA64)
      field += 4 + this.#view.getUint16(field + 2, true);
    let next = field + 4;
    for (const name of ["size", "compressedSize", "offset"] as const) {
      if (figures[name] !== zip.ELSEWHERE) continue;
      if (next + 8 > end) throw damagedArchive();
      figures[name] = Number(this.#view.getBigUint64(next, true));
      next += 8;
    }
    return figures;
  }

  #directoryPlace(): { count: number; offset: number } {
    const end = this.#findEnd();
    const count = this.#view.getUint16(end + 10, true);
    const offset = this.#view.getUint32(end + 16, true);
    if (count !== zip.ELSEWHERE_SHORT && offset !== zip.ELSEWHERE) return { count, offset };
    const locator = end - zip.LOCATOR.bytes;
    if (locator < 0 || !this.#isAt(locator, zip.LOCATOR)) return { count, offset };
    const end64 = Number(this.#view.getBigUint64(locator + 8, true));
    if (!this.#isAt(end64, zip.END64)) throw damagedArchive();
    return {
      count: Number(this.#view.getBigUint64(end64 + 32, true)),
      offset: Number(this.#view.getBigUint64(end64 + 48, true)),
    };
  }

  #findEnd(): number {
    // Copies in blocks are filled up with zeros.
    const size = this.#bytes.findLastIndex((byte) => byte !== 0) + 1;
    const last = Math.min(size, this.#bytes.length - zip.END.bytes);
    const first = Math.max(0, size - zip.END.bytes - zip.MAX_COMMENT_BYTES);
    for (let at = last; at >= first; at--) if (this.#isAt(at, zip.END)) return at;
    throw damagedArchive();
  }

  #dataOf(entry: Entry): Uint8Array {
    const { offset, compressedSize } = entry;
    if (!this.#isAt(offset, zip.LOCAL)) throw damagedArchive();
    const nameLength = this.#view.getUint16(offset + 26, true);
    const start = offset + zip.LOCAL.bytes + nameLength + this.#view.getUint16(offset + 28, true);
    if (start + compressedSize > this.#bytes.length) throw damagedArchive();
    return this.#bytes.subarray(start, start + compressedSize);
  }

  #isAt(offset: number, { signature, bytes }: typeof zip.END): boolean {
    if (offset + bytes > this.#bytes.length) return false;
    return this.#view.getUint32(offset, true) === signature;
  }
}
