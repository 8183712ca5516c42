/** Lower-case hex. `Uint8Array.prototype.toHex` is not in every runtime that runs our code yet. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
