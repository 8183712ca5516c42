import type { z } from "zod";

import { joinBytes } from "../../core/bytes/join-bytes.ts";
import { MANIFEST } from "../../core/bytes/zip/format.ts";
import { damagedArchive, readDirectory, readEntry } from "../../core/bytes/zip/read-zip.ts";
import type { ReadAt } from "../../core/bytes/zip/read-zip.ts";
import { sha256Hex } from "../../core/hash.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import type { FileStore } from "../../ports/file-store.ts";
import { ARCHIVE_FORMAT, isPartName, manifest, type Manifest } from "./archive-format.ts";

/** Bytes of every stored piece of an upload but the last one. */
export const PIECE_BYTES = 8 * 1_024 * 1_024;
const DIGITS = 6;
export const importPrefix = (id: string) => `archives/${id}/`;
export const uploadPrefix = (id: string) => `${importPrefix(id)}pieces/`;
/** Where the plan of an import lies: it grows with the archive, and a row of D1 ends at 2 MB. */
export const planKey = (id: string) => `${importPrefix(id)}plan.json`;
export const pieceKey = (id: string, piece: number) =>
  uploadPrefix(id) + String(piece).padStart(DIGITS, "0");

/** Read at once, because neighbours are read next. */
const WINDOW_BYTES = 2 * 1_024 * 1_024;
/** The largest document or text, and what a manifest of half a million parts may have. */
const MAX_ENTRY_BYTES = 64 * 1_024 * 1_024;

export type ArchiveReader = Awaited<ReturnType<typeof openArchive>>;

/** An uploaded archive with its directory. @throws QuarryError `invalid` for what is none of ours */
export async function openArchive(files: FileStore, id: string) {
  const size = await uploadedBytes(files, id);
  const reader = createWindowReader(files, id, size);
  const entries = await readDirectory(reader, size);
  /** Null: there is no such part. */
  const bytes = async (name: string): Promise<Uint8Array | null> => {
    const entry = entries.get(name);
    if (entry === undefined) return null;
    if (entry.size > MAX_ENTRY_BYTES) throw damagedArchive(`has a part that is too large: ${name}`);
    return await readEntry(reader, entry);
  };
  const described = await bytes(MANIFEST);
  if (described === null) throw damagedArchive(`is none of Quarry: it has no ${MANIFEST}`);
  const facts = manifestIn(described);
  const names = [...entries.keys()].filter((name) => name !== MANIFEST);
  for (const name of names) {
    if (!isPartName(name)) throw damagedArchive(`has a part of an unknown kind: ${name}`);
    if (facts.parts[name] === undefined) throw damagedArchive(`has ${name}, without a hash`);
  }
  const missing = Object.keys(facts.parts).find((name) => !entries.has(name));
  if (missing !== undefined) throw damagedArchive(`lacks a part: ${missing}`);
  const sizeOf = (parts: string[]) =>
    parts.reduce((sum, name) => sum + (entries.get(name)?.size ?? 0), 0);
  return { sizeOf, manifest: facts, manifestHash: await sha256Hex(described), names, bytes };
}

function manifestIn(bytes: Uint8Array): Manifest {
  const value = jsonIn(bytes);
  const format: unknown = isObject(value) ? value["format"] : undefined;
  if (typeof format === "number" && format > ARCHIVE_FORMAT) {
    throw damagedArchive(`has format ${format}, and this version reads ${ARCHIVE_FORMAT}: update`);
  }
  return parsePart(manifest, value, MANIFEST);
}

/** @throws QuarryError `invalid` that names the part and the field */
export function parsePart<Shape extends z.ZodType>(shape: Shape, value: unknown, name: string) {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw damagedArchive(`has a damaged part: ${name} (${issue?.path.join(".") ?? ""})`);
}

const decoder = new TextDecoder();
export const jsonIn = (bytes: Uint8Array): unknown => parseJson(decoder.decode(bytes));
export const linesIn = (bytes: Uint8Array): string[] => decoder.decode(bytes).split("\n");

/** The pieces that `files` has, each at its place and all but the last of equal length. */
async function uploadedBytes(files: FileStore, id: string): Promise<number> {
  let [size, count, cursor]: [number, number, string | undefined] = [0, 0, undefined];
  do {
    const page: R2Objects = await files.list({
      prefix: uploadPrefix(id),
      ...(cursor && { cursor }),
    });
    for (const object of page.objects) {
      const isNext = object.key === pieceKey(id, count++) && size % PIECE_BYTES === 0;
      if (!isNext || object.size > PIECE_BYTES) throw damagedArchive("was not uploaded whole");
      size += object.size;
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return size;
}

function createWindowReader(files: FileStore, id: string, size: number): ReadAt {
  let window = { from: 0, bytes: new Uint8Array() };
  const readWindow: ReadAt = async (offset, length) => {
    const inside = offset - window.from;
    if (inside >= 0 && inside + length <= window.bytes.length) {
      return window.bytes.subarray(inside, inside + length);
    }
    const overlap = window.bytes.subarray(inside >= 0 ? inside : window.bytes.length);
    const parts: Uint8Array[] = [overlap];
    const end = Math.min(size, offset + Math.max(length, WINDOW_BYTES));
    for (let at = offset + overlap.length; at < end;) {
      const piece = Math.floor(at / PIECE_BYTES);
      const next = Math.min(end, (piece + 1) * PIECE_BYTES);
      const range = { offset: at % PIECE_BYTES, length: next - at };
      const object = await files.get(pieceKey(id, piece), { range });
      if (object === null) throw damagedArchive("was not uploaded whole");
      parts.push(new Uint8Array(await object.arrayBuffer()));
      at = next;
    }
    window = { from: offset, bytes: joinBytes(parts) };
    return window.bytes.subarray(0, length);
  };
  // One after the other: who waits finds its bytes in the window that the one before has read.
  let last: Promise<unknown> = Promise.resolve();
  return (offset, length) => {
    const bytes = last.then(() => readWindow(offset, length));
    last = bytes.catch(() => undefined);
    return bytes;
  };
}
