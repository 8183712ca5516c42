const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Lower-case hex. `Uint8Array.prototype.toHex` is not in every runtime that runs our code yet. */
export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte] ?? "";
  return hex;
}
