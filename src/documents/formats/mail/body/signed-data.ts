/** A BER element (X.690 §8): where its content begins and ends, and where the next one begins. */
type Element = { tag: number; start: number; end: number; next: number };

const OBJECT_ID = 0x06;
const OCTETS = 0x04;
const OCTETS_IN_PIECES = 0x24;
/** The OID 1.2.840.113549.1.7.2. */
const SIGNED_DATA = "2a864886f70d010702";
const MAX_DEPTH = 40;
const MAX_LENGTH_BYTES = 4;
const MAX_CHILDREN = 100_000;

/**
 * The content of a signature that encloses it (CMS SignedData, RFC 5652 §5): a MIME part with its
 * own headers. Null for all other data, such as encrypted data.
 */
export function signedContent(bytes: Uint8Array): Uint8Array | null {
  const whole = elementAt(bytes, 0);
  const [type, wrapped] = childrenOf(bytes, whole);
  if (type?.tag !== OBJECT_ID || hexOf(bytes, type) !== SIGNED_DATA) return null;
  const [signed] = childrenOf(bytes, wrapped);
  const [, , content] = childrenOf(bytes, signed);
  const [, held] = childrenOf(bytes, content);
  const [octets] = childrenOf(bytes, held);
  if (octets?.tag === OCTETS) return bytes.slice(octets.start, octets.end);
  return octets?.tag === OCTETS_IN_PIECES ? joined(bytes, childrenOf(bytes, octets)) : null;
}

function joined(bytes: Uint8Array, pieces: Element[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { start, end }) => sum + end - start, 0));
  let at = 0;
  for (const { start, end } of pieces) {
    whole.set(bytes.subarray(start, end), at);
    at += end - start;
  }
  return whole;
}

const hexOf = (bytes: Uint8Array, { start, end }: Element) =>
  Array.from(bytes.subarray(start, Math.min(end, start + 20)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

function childrenOf(bytes: Uint8Array, element: Element | null | undefined): Element[] {
  const { start, end } = element ?? { start: 0, end: 0 };
  const children: Element[] = [];
  for (let at = start; at < end && children.length < MAX_CHILDREN;) {
    const child = elementAt(bytes, at);
    if (child === null) break;
    children.push(child);
    at = child.next;
  }
  return children;
}

/** Null where no element begins. */
function elementAt(bytes: Uint8Array, at: number, depth = 0): Element | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || depth > MAX_DEPTH) return null;
  if (tag === 0 && first === 0) return null;
  if (first === 0x80) return endlessAt(bytes, at, tag, depth);
  const size = first < 0x80 ? 0 : first & 0x7f;
  if (size > MAX_LENGTH_BYTES) return null;
  const start = at + 2 + size;
  let length = size === 0 ? first : 0;
  for (const byte of bytes.subarray(at + 2, start)) length = length * 256 + byte;
  const end = Math.min(start + length, bytes.length);
  return { tag, start, end, next: end };
}

/** An element of indefinite length: it ends where two zero bytes stand in place of an element. */
function endlessAt(bytes: Uint8Array, at: number, tag: number, depth: number): Element {
  const start = at + 2;
  let end = start;
  for (
    let child = elementAt(bytes, start, depth + 1);
    child !== null;
    child = elementAt(bytes, end, depth + 1)
  ) {
    end = child.next;
  }
  return { tag, start, end, next: Math.min(end + 2, bytes.length) };
}
