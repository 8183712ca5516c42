import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../../extracted-document.ts";
import type { MailPart } from "./mail-parts.ts";

const RETURN = 0x0d;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NOISE = 64;
const PAD = 65;
const STEP_BYTES = 1 << 18;

/** Decodes the bodies of parts (RFC 2045 §6), each into a buffer of its own. */
export function* decodeBodies(message: Uint8Array, parts: MailPart[]): CooperativeWork<void> {
  for (const part of parts) {
    const body = message.subarray(part.start, part.end);
    if (part.encoding === "base64") part.body = yield* decodeBase64(body);
    else if (part.encoding === "quoted-printable") part.body = yield* decodeQuotedPrintable(body);
    else part.body = body.slice();
  }
}

/** @throws UnreadableDocument for the encoding that mailers used before MIME. */
export function refuseUuencoded({ encoding }: MailPart): void {
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
  /** The end of what is not spaces, and of a sign that is no escape: the line may go on after it. */
  let solid = 0;
  let soft = -1;
  for (let at = 0; at < body.length;) {
    const from = at;
    for (const most = Math.min(from + STEP_BYTES, body.length); at < most; at++) {
      const byte = body[at] ?? 0;
      if (isLineEnd(byte)) end = solid;
      const feed = soft === end ? feedAt(body, at) : -1;
      if (feed >= 0) {
        solid = --end;
        soft = -1;
        at = feed;
        continue;
      }
      const code = escapeAt(body, at);
      decoded[end++] = code < 0 ? byte : code;
      if (code >= 0) at += 2;
      else if (byte === EQUALS) soft = end;
      if (!isSpace(byte)) solid = end;
    }
    yield at - from;
  }
  return shrunk(decoded, soft === solid ? solid - 1 : solid);
}

const isLineEnd = (byte: number) => byte === LINE_FEED || byte === RETURN;
const isSpace = (byte: number) => byte === SPACE || byte === TAB;

/** The line feed of the line end at `at`; negative where the line goes on. */
function feedAt(body: Uint8Array, at: number): number {
  const feed = body[at] === RETURN ? at + 1 : at;
  return body[feed] === LINE_FEED ? feed : -1;
}

/** The byte that an escape stands for; negative for no escape. */
const escapeAt = (body: Uint8Array, at: number) =>
  body[at] === EQUALS ? (nibble(body[at + 1]) << 4) | nibble(body[at + 2]) : -1;

function nibble(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const shrunk = (bytes: Uint8Array<ArrayBuffer>, length: number) =>
  new Uint8Array(bytes.buffer.transfer(length));
