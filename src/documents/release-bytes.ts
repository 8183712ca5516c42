/**
 * Frees bytes with a buffer of their own at once: garbage collection may come too late. Every array
 * on the buffer is empty then. A transferred buffer (pdf.js) is freed already.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
