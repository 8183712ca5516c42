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
