/**
 * Frees the memory of bytes that have a buffer of their own, at once: garbage collection may come
 * too late. The array, and every other one on the buffer, is empty afterwards. A buffer that a
 * reader has transferred (pdf.js does) is already freed.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
