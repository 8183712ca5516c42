/**
 * Vectors are stored as IEEE 754 half floats (binary16), little-endian like every machine this
 * runs on. A component keeps 11 significant bits, so a cosine of two unit vectors is off by less
 * than 0.0005.
 */
export const BYTES_PER_HALF = Float16Array.BYTES_PER_ELEMENT;

export const encodeHalfFloats = (values: ArrayLike<number>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Float16Array(values).buffer);

/** Stored half floats as they are, without copying where the alignment allows it. */
export function halfFloats(buffer: ArrayBuffer | Uint8Array): Float16Array {
  const bytes = buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer);
  const aligned = bytes.byteOffset % BYTES_PER_HALF === 0 ? bytes : bytes.slice();
  return new Float16Array(aligned.buffer, aligned.byteOffset, bytes.length / BYTES_PER_HALF);
}

/** The sum of the products of two vectors' components: of unit vectors, their cosine. */
export function dotProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.min(a.length, b.length);
  let sum = 0;
  for (let at = 0; at < length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

export const decodeHalfFloats = (buffer: ArrayBuffer | Uint8Array): Float32Array =>
  new Float32Array(halfFloats(buffer));
