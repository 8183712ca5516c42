import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../../extracted-document.ts";

const RETURN = 0x0d;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NOISE = 64;
const PAD = 65;
const STEP_BYTES = 1 << 18;

/** A part's body, decoded (RFC 2045 §6), in a buffer of its own. */
export function* decodedBody(
  body: Uint8Array,
  encoding: string,
): CooperativeWork<Uint8Array<ArrayBuffer>> {
  if (encoding === "base64") return yield* decodeBase64(body);
  if (encoding === "quoted-printable") return yield* decodeQuotedPrintable(body);
  return body.slice();
}

/** @throws UnreadableDocument for the encoding that mailers used before MIME. */
export function refuseUuencoded({ encoding }: { encoding: string }): void {
  if (/^(x-)?uu(encode)?$/.test(encoding)) {
    throw new UnreadableDocument("it is uuencoded; send it as base64");
  }
}

const SEXTETS = Uint8Array.from({ length: 256 }, (_unused, byte) => {
  if (byte === EQUALS) return PAD;
  const sextet = BASE64.indexOf(String.fromCharCode(byte));
  return sextet < 0 ? NOISE : sextet;
});

function* decodeBase64(body: Uint8Array): CooperativeWork<Uint8Array<ArrayBuffer>> {
  const decoded = new Uint8Array(Math.ceil(body.length / 4) * 3);
  let end = 0;
  let bits = 0;
  let count = 0;
  for (let from = 0; from < body.length; from += STEP_BYTES) {
    const most = Math.min(from + STEP_BYTES, body.length);
    for (let at = from; at < most; at++) {
      const sextet = SEXTETS[body[at] ?? 0] ?? NOISE;
      if (sextet < NOISE) {
        bits = ((bits << 6) | sextet) & 0xff_ffff;
        if (count++ === 0) continue;
        decoded[end++] = (bits >> (6 - 2 * (count - 1))) & 0xff;
        if (count === 4) count = 0;
      } else if (sextet === PAD) count = 0;
    }
    yield most - from;
  }
  return shrunk(decoded, end);
}

/** Keeps invalid escapes; removes spaces at line ends, which transport adds. */
function* decodeQuotedPrintable(body: Uint8Array): CooperativeWork<Uint8Array<ArrayBuffer>> {
  const decoded = new Uint8Array(body.length);
  let end = 0;
  for (let at = 0; at < body.length;) {
    const step = decodeQuoted(body, at, decoded, end);
    yield step.at - at;
    ({ at, end } = step);
  }
  return shrunk(decoded, end);
}

/** Decodes one step's bytes from `from` on. Returns the next positions in both arrays. */
function decodeQuoted(body: Uint8Array, from: number, decoded: Uint8Array, to: number) {
  let at = from;
  let end = to;
  const most = Math.min(from + STEP_BYTES, body.length);
  while (at < most) {
    const byte = body[at] ?? 0;
    if (byte === EQUALS) {
      const code = (nibble(body[at + 1]) << 4) | nibble(body[at + 2]);
      const softEnd = code < 0 ? softBreakEnd(body, at + 1) : null;
      // A soft break adds no bytes.
      if (softEnd === null) decoded[end++] = code < 0 ? byte : code;
      at = softEnd ?? at + (code < 0 ? 1 : 3);
    } else if (byte === SPACE || byte === TAB) {
      const next = afterSpaces(body, at);
      if (!isLineEnd(body, next)) {
        decoded.set(body.subarray(at, next), end);
        end += next - at;
      }
      at = next;
    } else {
      decoded[end++] = byte;
      at++;
    }
  }
  return { at, end };
}

const isLineEnd = (body: Uint8Array, at: number) =>
  at >= body.length || body[at] === LINE_FEED || body[at] === RETURN;

/** The value of a hexadecimal digit; negative for other bytes. */
function nibble(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Where the text continues after a soft line break; null when there is no line break. */
function softBreakEnd(body: Uint8Array, from: number): number | null {
  const at = afterSpaces(body, from);
  if (at >= body.length) return at;
  if (body[at] === LINE_FEED) return at + 1;
  return body[at] === RETURN && body[at + 1] === LINE_FEED ? at + 2 : null;
}

function afterSpaces(body: Uint8Array, from: number): number {
  let at = from;
  while (body[at] === SPACE || body[at] === TAB) at++;
  return at;
}

const shrunk = (bytes: Uint8Array<ArrayBuffer>, length: number) =>
  new Uint8Array(bytes.buffer.transfer(length));
