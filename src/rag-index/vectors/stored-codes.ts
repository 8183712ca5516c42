import { decodeHalfFloats, halfFloats } from "../../core/bytes/half-float.ts";
import { rowsOf, readTotals, insertRows, type Row } from "../tables.ts";
import { SignCoder } from "./sign-codes.ts";

/**
 * Codes of vectors as they are stored: the signs, then their factor. They only save time, so that
 * a large index is loaded without reading its vectors: a missing one is made again.
 */
const FACTOR_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** An index below is searched without codes, or has so few vectors that they are quickly made. */
const STORED_FROM_CHUNKS = 4_000;
const VECTORS_A_PAGE = 256;

type StoredVector = Row<"contents", "chunk" | "vector">;

const coders = new Map<number, SignCoder>();

export function coderOf(dimensions: number): SignCoder {
  const coder = coders.get(dimensions) ?? new SignCoder(dimensions);
  coders.set(dimensions, coder);
  return coder;
}

/** Called while storing, so that no search waits for all codes; restricted searches use them. */
export function storeCodesIfLarge(sql: SqlStorage, vectors: StoredBytes[]): void {
  const { chunks, staged } = readTotals(sql);
  if (chunks + staged < STORED_FROM_CHUNKS) return;
  storeCodes(sql, vectors);
}

type StoredBytes = { chunk: number; vector: Uint8Array };

/** Stores the codes of vectors that have none yet. */
function storeCodes(sql: SqlStorage, vectors: (StoredBytes | StoredVector)[]): void {
  const rows = vectors.map(({ chunk, vector }) => [chunk, codeOf(vector)]);
  insertRows(sql, "sign_codes (chunk, code)", rows);
}

function codeOf(vector: ArrayBuffer | Uint8Array): Uint8Array {
  const { length } = halfFloats(vector);
  const coder = coderOf(length);
  const code = new Uint8Array(coder.bytes + FACTOR_BYTES);
  const factor = coder.encode(decodeHalfFloats(vector), code, 0);
  new DataView(code.buffer).setFloat32(coder.bytes, factor, true);
  return code;
}

export function codeIn(code: ArrayBuffer): { signs: Uint8Array; factor: number } {
  const bytes = code.byteLength - FACTOR_BYTES;
  const factor = new DataView(code).getFloat32(bytes, true);
  return { signs: new Uint8Array(code, 0, bytes), factor };
}

/** Makes the codes that live chunks lack, or those of these chunks, a page of vectors at a time. */
export function storeMissingCodes(sql: SqlStorage, among: number[] | null = null): void {
  for (let after = -1; ;) {
    const page = rowsOf<StoredVector>(sql)`SELECT c.chunk, v.vector
      FROM chunks c CROSS JOIN contents v ON v.chunk = c.chunk
      WHERE c.live = 1 AND c.chunk > ${after}
        AND (${among} IS NULL OR c.chunk IN (SELECT value FROM json_each(${among})))
        AND NOT EXISTS (SELECT 1 FROM sign_codes s WHERE s.chunk = c.chunk)
      ORDER BY c.chunk LIMIT ${VECTORS_A_PAGE}`;
    storeCodes(sql, page);
    const last = page.at(-1);
    if (last === undefined || page.length < VECTORS_A_PAGE) return;
    after = last.chunk;
  }
}
