/**
 * Reads a body whole; null as soon as it is longer than `limit` bytes. What a caller says of the
 * length is not believed.
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | ArrayBuffer,
  limit: number,
): Promise<Uint8Array | null> {
  if (body instanceof ArrayBuffer) return body.byteLength > limit ? null : new Uint8Array(body);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > limit) return null;
    parts.push(part);
  }
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
