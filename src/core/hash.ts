import { asId, hexOf, type ChunkId, type FileId, type RagId } from "./ids.ts";
import { normalForm } from "./normal-form.ts";

const encoder = new TextEncoder();

/** SHA-256 as lower-case hex, 64 characters. */
export async function sha256Hex(data: string | ArrayBuffer | Uint8Array): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** HMAC with SHA-256, https://www.rfc-editor.org/rfc/rfc2104 */
export async function hmac(secret: Buffer, text: string): Promise<Buffer> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

/** Compares two texts in constant time, so that timing does not show where they differ. */
export async function equalInConstantTime(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([sha256Hex(a), sha256Hex(b)]);
  let difference = 0;
  for (let at = 0; at < first.length; at++)
    difference |= first.charCodeAt(at) ^ second.charCodeAt(at);
  return difference === 0;
}

/** Chunks are duplicates when this text is equal: NFKC, lower case, white space folded. */
export function foldForDuplicates(text: string): string {
  // A single blank stays: to replace each takes several times as long.
  return normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .trim();
}

const CHUNK_ID_LENGTH = 40;

/** Equal in every version that keeps the text. `occurrence` counts equal texts within the file. */
export async function chunkIdOf(parts: {
  ragId: RagId;
  generation: number;
  fileId: FileId;
  embeddedText: string;
  occurrence: number;
}): Promise<ChunkId> {
  const { ragId, generation, fileId, embeddedText, occurrence } = parts;
  const key = [ragId, generation, fileId, occurrence, embeddedText].join("\u0000");
  // Ids of one file stand together in the index's tables: fewer pages are written for it.
  const file = hash32(fileId).toString(16).padStart(8, "0");
  return asId(`${file}${await sha256Hex(key)}`.slice(0, CHUNK_ID_LENGTH));
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a over UTF-16 code units with a final avalanche (murmur3's), 32 bits unsigned. */
export const hash32 = (text: string, seed = 0): number => hashPart(text, 0, text.length, seed);

/** As `hash32`, of the characters from `from` to `to`, exclusive, without cutting them out. */
export function hashPart(text: string, from: number, to: number, seed = 0): number {
  let hash = FNV_OFFSET ^ seed;
  for (let at = from; at < to; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The shard of a generation that stores a file; it never changes within a generation. */
export function shardOf(fileId: FileId, shards: number): number {
  return shards === 1 ? 0 : hash32(fileId) % shards;
}
