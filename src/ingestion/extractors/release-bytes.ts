/**
 * Gives back the memory of bytes that have a buffer to themselves, at once: a collection may come
 * too late. The array, and every other on the buffer, is empty from then on.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isWhole) buffer.transfer(0);
}
