import { Buffer } from "node:buffer";

/** Where `wanted` begins at or after `from`, of text each character as one byte; -1 for nowhere. */
export function indexOfBytes(bytes: Uint8Array, pattern: string | Uint8Array, from = 0): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.indexOf(pattern, from, "latin1");
}
