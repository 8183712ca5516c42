import { CENTRAL, ELSEWHERE, ELSEWHERE_SHORT, END, END64 } from "./format.ts";
import { EXTRA64, FLAG_UTF8, LOCAL, LOCATOR } from "./format.ts";

/** A file of the archive. */
export type ZipInput = { name: string; content: Uint8Array };

type Written = { name: Uint8Array; crc: number; size: number; offset: number };

const VERSION = 20;
const VERSION64 = 45;
/** The longest record that is written. */
const RECORD_BYTES = 56;
const CRC_POLYNOMIAL = 0xedb88320;
const BITS = 8;
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < BITS; bit++) crc = (crc >>> 1) ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> BITS) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** A record of fields that are so many bytes wide. */
function record({ signature }: { signature: number }, widths: string, values: number[]) {
  const view = new DataView(new ArrayBuffer(RECORD_BYTES));
  view.setUint32(0, signature, true);
  let at = 4;
  for (const [nth, value] of values.entries()) {
    const width = Number(widths[nth]);
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return new Uint8Array(view.buffer, 0, at);
}

/** The time and the day, as MS-DOS stores them. */
function dosTime(at: Date): number[] {
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [(at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1), day];
}

/** A zip archive of stored files as a stream; memory holds one file and the list of names. */
export async function* writeZip(
  files: AsyncIterable<ZipInput>,
  at: Date,
): AsyncGenerator<Uint8Array> {
  const entries: Written[] = [];
  const time = dosTime(at);
  let offset = 0;
  for await (const { name: text, content } of files) {
    const name = new TextEncoder().encode(text);
    const entry = { name, crc: crc32(content), size: content.length, offset };
    entries.push(entry);
    const header = record(LOCAL, `2${FACTS}2`, [VERSION, ...factsOf(entry, time), 0]);
    yield header;
    yield name;
    yield content;
    offset += header.length + name.length + content.length;
  }
  yield* directory(entries, time, offset);
}

/** The fields that an entry's two headers share; method 0: stored. */
const FACTS = "22224442";
const factsOf = ({ name, crc, size }: Written, time: number[]) =>
  [[FLAG_UTF8, 0], time, [crc, size, size, name.length]].flat();

const REGULAR_FILE = 0o100644;
const ATTRIBUTES = REGULAR_FILE * 2 ** 16;
const MADE_ON_UNIX = 0x300;

function* directory(entries: Written[], time: number[], start: number): Generator<Uint8Array> {
  let size = 0;
  for (const entry of entries) {
    const isFar = entry.offset >= ELSEWHERE;
    const extra = record({ signature: EXTRA64 | (8 << 16) }, "8", [entry.offset]);
    const versions = [MADE_ON_UNIX | VERSION64, isFar ? VERSION64 : VERSION];
    const [length, offset] = isFar ? [extra.length, ELSEWHERE] : [0, entry.offset];
    const rest = [length, 0, 0, 0, ATTRIBUTES, offset];
    yield record(CENTRAL, `22${FACTS}222244`, [...versions, ...factsOf(entry, time), ...rest]);
    yield entry.name;
    if (isFar) yield extra;
    size += CENTRAL.bytes + entry.name.length + length;
  }
  const count = entries.length;
  if (count >= ELSEWHERE_SHORT || start + size >= ELSEWHERE) {
    const versions = [MADE_ON_UNIX | VERSION64, VERSION64];
    const figures = [END64.bytes - 12, ...versions, 0, 0, count, count, size, start];
    yield record(END64, "822448888", figures);
    yield record(LOCATOR, "484", [0, start + size, 1]);
  }
  const short = Math.min(count, ELSEWHERE_SHORT);
  const place = [Math.min(size, ELSEWHERE), Math.min(start, ELSEWHERE)];
  yield record(END, "2222442", [0, 0, short, short, ...place, 0]);
}
