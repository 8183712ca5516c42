import { invalid } from "../../errors.ts";
import { CENTRAL, ELSEWHERE, ELSEWHERE_SHORT, END, END64, EXTRA64 } from "./format.ts";
import { FLAG_ENCRYPTED, LOCAL, LOCATOR, MAX_COMMENT_BYTES } from "./format.ts";

/** Bytes of a file from a place on; fewer only where the file ends. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** A stored file of an archive; `offset`: of its local header; `end`: where the next part begins. */
export type ZipEntry = { name: string; size: number; offset: number; end: number };

/** The names of half a million files. */
const MAX_DIRECTORY_BYTES = 64 * 1_024 * 1_024;
const DIRECTORY_STEP_BYTES = 1_024 * 1_024;
const MAX_NAME_BYTES = 16 * 1_024;

export const damagedArchive = (problem: string) => invalid(`the archive ${problem}`);
const truncatedArchive = () => damagedArchive("is cut off, or is no zip file");
const damagedDirectory = () => damagedArchive("has a damaged directory");

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

/** The directory of an archive, by name. @throws QuarryError `invalid` for what is not one of ours */
export async function readDirectory(reader: ReadAt, size: number): Promise<Map<string, ZipEntry>> {
  const { count, start, end } = await placeOfDirectory(reader, size);
  if (end - start > MAX_DIRECTORY_BYTES || end > size || start > end) throw damagedDirectory();
  const entries = new Map<string, ZipEntry>();
  let bytes = new Uint8Array();
  let at = start;
  for (let index = 0; index < count; index++) {
    if (bytes.length < CENTRAL.bytes + MAX_NAME_BYTES + ELSEWHERE_SHORT * 2) {
      bytes = new Uint8Array(await reader(at, Math.min(DIRECTORY_STEP_BYTES, end - at)));
    }
    const { entry, length } = centralEntry(bytes);
    if (entries.has(entry.name)) throw damagedArchive(`has ${entry.name} twice`);
    entries.set(entry.name, entry);
    bytes = bytes.subarray(length);
    at += length;
  }
  if (at !== end) throw damagedDirectory();
  checkPlaces([...entries.values()], start);
  return entries;
}

/** No two files share bytes, so that a small archive cannot hold large ones. */
function checkPlaces(entries: ZipEntry[], directory: number): void {
  entries.sort((a, b) => a.offset - b.offset);
  for (const [at, entry] of entries.entries()) {
    entry.end = entries[at + 1]?.offset ?? directory;
    if (entry.offset + LOCAL.bytes + entry.size > entry.end) {
      throw damagedArchive(`has overlapping files: ${entry.name}`);
    }
  }
}

async function placeOfDirectory(reader: ReadAt, size: number) {
  const from = Math.max(0, size - END.bytes - MAX_COMMENT_BYTES - LOCATOR.bytes);
  const tail = await reader(from, size - from);
  const view = viewOf(tail);
  let at = tail.length - END.bytes;
  while (at >= 0 && !isEnd(view, at)) at--;
  if (at < 0) throw truncatedArchive();
  const [count, bytes] = [view.getUint16(at + 10, true), view.getUint32(at + 12, true)];
  const start = view.getUint32(at + 16, true);
  if (count !== ELSEWHERE_SHORT && bytes !== ELSEWHERE && start !== ELSEWHERE) {
    return { count, start, end: from + at };
  }
  const locator = at - LOCATOR.bytes;
  if (locator < 0 || view.getUint32(locator, true) !== LOCATOR.signature) throw damagedDirectory();
  const place = Number(view.getBigUint64(locator + 8, true));
  const record = viewOf(await reader(Math.min(place, size), END64.bytes));
  if (record.byteLength < END64.bytes || record.getUint32(0, true) !== END64.signature)
    throw damagedDirectory();
  const readLong = (field: number) => Number(record.getBigUint64(field, true));
  return { count: readLong(32), start: readLong(48), end: place };
}

const isEnd = (view: DataView, at: number) =>
  view.getUint32(at, true) === END.signature &&
  at + END.bytes + view.getUint16(at + 20, true) === view.byteLength;

const names = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function centralEntry(bytes: Uint8Array): { entry: ZipEntry; length: number } {
  const view = viewOf(bytes);
  if (bytes.length < CENTRAL.bytes || view.getUint32(0, true) !== CENTRAL.signature)
    throw damagedDirectory();
  const [nameLength, extraLength] = [view.getUint16(28, true), view.getUint16(30, true)];
  const extraAt = CENTRAL.bytes + nameLength;
  const length = extraAt + extraLength + view.getUint16(32, true);
  if (length > bytes.length || nameLength > MAX_NAME_BYTES) throw damagedDirectory();
  const name = nameIn(bytes.subarray(CENTRAL.bytes, extraAt));
  const flags = view.getUint16(8, true);
  if ((flags & FLAG_ENCRYPTED) !== 0) throw damagedArchive(`has an encrypted file: ${name}`);
  const size = view.getUint32(24, true);
  if (view.getUint16(10, true) !== 0 || view.getUint32(20, true) !== size) {
    throw damagedArchive(`has a compressed file: ${name}; Quarry stores files as they are`);
  }
  const near = view.getUint32(42, true);
  const extra = viewOf(bytes.subarray(extraAt, extraAt + extraLength));
  const offset = near === ELSEWHERE ? farOffset(extra) : near;
  return { entry: { name, size, offset, end: 0 }, length };
}

/** The offset is the only figure that an archive of ours may keep in the extra field. */
function farOffset(extra: DataView): number {
  for (let at = 0; at + 12 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) === EXTRA64) return Number(extra.getBigUint64(at + 4, true));
  }
  throw damagedDirectory();
}

// oxlint-disable-next-line no-control-regex -- these are what no name may hold
const LEADS_OUT = /[\u0000-\u001f\u007f]|^[a-z]:/i;

/** The name of a file below the archive's root. */
function nameIn(bytes: Uint8Array): string {
  let name: string;
  try {
    name = names.decode(bytes);
  } catch {
    throw damagedArchive("has a name that is not UTF-8");
  }
  const isInside = name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isInside || LEADS_OUT.test(name)) {
    throw damagedArchive(`has a name that leads out of it: ${JSON.stringify(name)}`);
  }
  return name;
}

/** The bytes of a file, read at once with its header. @throws QuarryError `invalid` */
export async function readEntry(reader: ReadAt, entry: ZipEntry): Promise<Uint8Array> {
  const { offset, end, size, name } = entry;
  const longest = LOCAL.bytes + 2 * ELSEWHERE_SHORT + size;
  const bytes = await reader(offset, Math.min(end - offset, longest));
  const header = viewOf(bytes);
  if (header.byteLength < LOCAL.bytes || header.getUint32(0, true) !== LOCAL.signature)
    throw damagedDirectory();
  const start = LOCAL.bytes + header.getUint16(26, true) + header.getUint16(28, true);
  if (offset + start + size > end) throw damagedArchive(`has overlapping files: ${name}`);
  if (start + size > bytes.length) throw truncatedArchive();
  return bytes.subarray(start, start + size);
}
