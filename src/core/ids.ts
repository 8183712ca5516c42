import { normalForm } from "./normal-form.ts";

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

export type FileSourceId = Brand<"FileSourceId">;
export type RagId = Brand<"RagId">;
export type FileId = Brand<"FileId">;
export type InferenceId = Brand<"InferenceId">;
export type AgentId = Brand<"AgentId">;
export type TokenId = Brand<"TokenId">;
export type UserId = Brand<"UserId">;
export type KeyId = Brand<"KeyId">;
export type ScanRunId = Brand<"ScanRunId">;
export type QuestionSetId = Brand<"QuestionSetId">;
export type QuestionId = Brand<"QuestionId">;
export type EvaluationRunId = Brand<"EvaluationRunId">;
/** Lower-case hex, 40 characters; see `chunkIdOf` in core/hash.ts. */
export type ChunkId = Brand<"ChunkId">;
/** The id of a chunk's vector in the vector index; see `vectorIdOf`. */
export type VectorId = Brand<"VectorId">;

const RANDOM_BYTES = 10;

/** A UUIDv7 (RFC 9562 §5.7): ids sort by creation time, and an index on them grows at its end. */
export function newId<Id extends string>(nowMs: number): Id {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(nowMs) << 16n);
  bytes.set(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = hexOf(bytes);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return asId([...parts, hex.slice(20)].join("-"));
}

/** Marks a text that is known to be an id of this kind. */
export function asId<Id extends string>(text: string): Id {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand tells ids apart, nothing else
  return text as Id;
}

const VECTOR_SEPARATOR = ".";
const VECTOR_RADIX = 36;

/**
 * The id of a chunk's vector: the chunk's id and a number that an index object never reuses. So a
 * late deletion cannot remove the vector of a text that was added again, and a vector that
 * becomes visible late is not mistaken for it. At most 52 bytes.
 */
export function vectorIdOf(id: ChunkId, storing: number): VectorId {
  return asId(`${id}${VECTOR_SEPARATOR}${storing.toString(VECTOR_RADIX)}`);
}

export function chunkOfVector(id: VectorId): ChunkId {
  const [chunk = id] = id.split(VECTOR_SEPARATOR, 1);
  return asId(chunk);
}

export const MAX_IDENTIFIER_LENGTH = 64;
export const IDENTIFIER_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Letters that are no plain one with a mark. */
const UNMARKED: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d" };

/** A slug from a display name: `Staff Handbook (EN)` becomes `staff-handbook-en`; may be empty. */
export function identifierFrom(name: string): string {
  const plain = normalForm(name, "NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const ascii = plain.replace(/[ßæœøłđ]/g, (letter) => UNMARKED[letter] ?? letter);
  const slug = ascii.replace(/[^a-z0-9]+/g, "-").slice(0, MAX_IDENTIFIER_LENGTH);
  return slug.replace(/^-|-$/g, "");
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** `toHex` is not in every runtime that runs our code yet; it takes a tenth of the time. */
interface Bytes extends Uint8Array {
  toHex?: () => string;
}

/** Lower-case hex. */
export const hexOf = (bytes: Bytes): string => bytes.toHex?.() ?? hexByByte(bytes);

function hexByByte(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte] ?? "";
  return hex;
}
