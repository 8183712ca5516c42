/**
 * Gives back the memory of bytes that have a buffer to themselves, at once: a collection may come
 * too late. The array, and every other on the buffer, is empty from then on. Bytes that a
 * reader took for itself (pdf.js does) are gone already.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
