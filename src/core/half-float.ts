/**
 * IEEE 754 half floats (binary16), little-endian: how vectors are stored. A component keeps 11
 * significant bits, so a cosine of two unit vectors is off by less than 0.0005.
 */
export const BYTES_PER_HALF = 2;
const HALF_VALUES = 65_536;
const SIGN_BIT = 0x8000;
const INFINITY_BITS = 0x7c00;
const FRACTION_MASK = 0x3ff;
/** 2^-24: the smallest positive half float, the unit of the subnormal ones. */
const SUBNORMAL_UNIT = 2 ** -24;
const SMALLEST_NORMAL = 2 ** -14;
/** Numbers from here on round to infinity. */
const OVERFLOW = 65_520;
const EXPONENT_BIAS = 15;
const FRACTION_STEPS = 1_024;

/** Rounds half to even, as IEEE 754 does. */
function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function halfBits(value: number): number {
  if (Number.isNaN(value)) return INFINITY_BITS | 1;
  const sign = value < 0 || Object.is(value, -0) ? SIGN_BIT : 0;
  const size = Math.abs(value);
  if (size >= OVERFLOW) return sign | INFINITY_BITS;
  if (size < SMALLEST_NORMAL) return sign | roundToEven(size / SUBNORMAL_UNIT);
  const exponent = Math.floor(Math.log2(size));
  const fraction = roundToEven((size / 2 ** exponent - 1) * FRACTION_STEPS);
  // A fraction that rounds up to the next power of two carries into the exponent by itself.
  return sign | (((exponent + EXPONENT_BIAS) << 10) + fraction);
}

function halfValue(bits: number): number {
  const sign = bits & SIGN_BIT ? -1 : 1;
  const exponent = (bits & INFINITY_BITS) >> 10;
  const fraction = bits & FRACTION_MASK;
  if (exponent === 0) return sign * fraction * SUBNORMAL_UNIT;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / FRACTION_STEPS) * 2 ** (exponent - EXPONENT_BIAS);
}

let decoded: Float32Array | null = null;

/** Every half float by its bits: 256 KiB, computed at first use. */
export function halfFloatTable(): Float32Array {
  decoded ??= Float32Array.from({ length: HALF_VALUES }, (_, bits) => halfValue(bits));
  return decoded;
}

export function encodeHalfFloats(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(values.length * BYTES_PER_HALF);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < values.length; at++) {
    view.setUint16(at * BYTES_PER_HALF, halfBits(values[at] ?? 0), true);
  }
  return bytes;
}

/** The bits of stored half floats, without copying where the alignment allows it. */
export function halfFloatBits(stored: ArrayBuffer | Uint8Array): Uint16Array {
  const bytes = stored instanceof Uint8Array ? stored : new Uint8Array(stored);
  const aligned = bytes.byteOffset % BYTES_PER_HALF === 0 ? bytes : bytes.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, bytes.length / BYTES_PER_HALF);
}

export function decodeHalfFloats(stored: ArrayBuffer | Uint8Array): Float32Array {
  const table = halfFloatTable();
  return Float32Array.from(halfFloatBits(stored), (bits) => table[bits] ?? 0);
}
