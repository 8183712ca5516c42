import { Buffer } from "node:buffer";

import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../../extracted-document.ts";
import type { MailPart } from "./mail-parts.ts";

const LINE_FEED = 0x0a;
const EQUALS = 0x3d;
const LINE_BREAK: ReadonlySet<number | undefined> = new Set([0x0d, LINE_FEED]);
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09]);
const STEP_BYTES = 1 << 18;
const latin1 = new TextDecoder("latin1");

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

/** Noise between the letters is skipped; padding ends a group, and another may follow. */
function* decodeBase64(body: Uint8Array): CooperativeWork<Uint8Array<ArrayBuffer>> {
  const decoded = new Uint8Array(body.length);
  let end = 0;
  let open = "";
  for (let at = 0; at < body.length; at += STEP_BYTES) {
    const step = body.subarray(at, at + STEP_BYTES);
    const groups = (open + latin1.decode(step)).replace(/[^A-Za-z0-9+/=]/g, "").split(/=+/);
    const last = groups.pop() ?? "";
    open = last.slice(last.length & ~3);
    for (const group of [...groups, last.slice(0, last.length & ~3)]) {
      const bytes = Buffer.from(group, "base64");
      decoded.set(bytes, end);
      end += bytes.length;
    }
    yield step.length;
  }
  const rest = Buffer.from(open, "base64");
  decoded.set(rest, end);
  return shrinkBytes(decoded, end + rest.length);
}

/** Keeps invalid escapes; removes spaces at line ends, which transport adds. */
function* decodeQuotedPrintable(body: Uint8Array): CooperativeWork<Uint8Array<ArrayBuffer>> {
  const decoded = new Uint8Array(body.length);
  let end = 0;
  for (let at = 0; at < body.length;) {
    const feed = body.indexOf(LINE_FEED, at);
    const next = feed < 0 ? body.length : feed + 1;
    const lineEnd = trimmedEnd(LINE_BREAK, body, at, next);
    const last = trimmedEnd(SPACES, body, at, lineEnd);
    const isSoft = last > at && body[last - 1] === EQUALS;
    yield next - at;
    while (at < (isSoft ? last - 1 : last)) {
      const code = escapeAt(body, at);
      decoded[end++] = code < 0 ? (body[at] ?? 0) : code;
      at += code < 0 ? 1 : 3;
    }
    if (!isSoft) for (at = lineEnd; at < next; at++) decoded[end++] = body[at] ?? 0;
    at = next;
  }
  return shrinkBytes(decoded, end);
}

function trimmedEnd(bytes: typeof SPACES, body: Uint8Array, start: number, end: number): number {
  let last = end;
  while (last > start && bytes.has(body[last - 1])) last--;
  return last;
}

const escapeAt = (body: Uint8Array, at: number) =>
  body[at] === EQUALS ? (hexDigitOf(body[at + 1]) << 4) | hexDigitOf(body[at + 2]) : -1;

function hexDigitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const shrinkBytes = (bytes: Uint8Array<ArrayBuffer>, length: number) =>
  new Uint8Array(bytes.buffer.transfer(length));
