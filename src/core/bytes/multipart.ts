import { throwCutOff, invalid, tooLarge, unsupportedEncoding } from "../errors.ts";
import { indexOfBytes } from "./find-bytes.ts";
import { piecesOf } from "./read-limited.ts";

/** Bytes. A part over `partBytes` is skipped; a body beyond any other limit is refused. */
export type MultipartLimits = {
  bodyBytes: number;
  parts: number;
  headerBytes: number;
  partBytes: number;
};

/** Header names are in lower case. `body` null: it is longer than the limit. */
export type Part = { headers: Map<string, string>; body: Uint8Array<ArrayBuffer> | null };

const CRLF = "\r\n";
const CLOSING = "--";
/** White space that may follow a boundary. */
const PADDING_BYTES = 128;
const FIRST_BYTES = 64 * 1_024;
/** As in mail; RFC 7578, section 4.7, takes it from forms. */
const TEXT_CODED = /^(?:base64|quoted-printable)$/i;
/** RFC 2046, 5.1.1. */
const BOUNDARY = /^[\w'()+,./:=? -]{1,70}$/;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The boundary of a `multipart/form-data` type. @throws QuarryError `invalid` for another. */
export function boundaryOf(contentType: string): string {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const boundaryParameter = parameters.find((parameter) => /^boundary=/i.test(parameter));
  const boundary = boundaryParameter?.slice("boundary=".length).replace(/^"(.*)"$/, "$1") ?? "";
  if (type.toLowerCase() !== "multipart/form-data" || !BOUNDARY.test(boundary)) {
    throw invalid("the body must be multipart/form-data with a boundary");
  }
  return boundary;
}

/**
 * The parts of a multipart body one after the other, as RFC 2046 and RFC 7578 define it
 * (https://www.rfc-editor.org/rfc/rfc2046#section-5.1, https://www.rfc-editor.org/rfc/rfc7578).
 * One part at a time is in memory.
 * @throws QuarryError `invalid` for a body of another form, `too-large`, `unsupported-encoding`
 */
export async function* multipartParts(
  body: ReadableStream<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void> {
  const reader = new DelimitedReader(body, limits.bodyBytes);
  const delimiter = encoder.encode(`${CRLF}${CLOSING}${boundary}`);
  const lineEnd = encoder.encode(CRLF);
  const headersEnd = encoder.encode(CRLF + CRLF);
  await reader.readUntil(delimiter, 0);
  for (let count = 1; !(await reader.beginsWith(CLOSING)); count++) {
    if (count > limits.parts) throw tooLarge();
    const padding = await reader.readUntil(lineEnd, PADDING_BYTES);
    if (padding === null || decoder.decode(padding).trim() !== "") throw incompleteBody();
    if (await reader.beginsWith(CRLF)) throw invalid("a part of the body has no headers");
    const headers = await reader.readUntil(headersEnd, limits.headerBytes);
    if (headers === null) throw invalid("the headers of a part are too long");
    const fields = headersOf(headers);
    if (TEXT_CODED.test(fields.get("content-transfer-encoding") ?? "")) throw unsupportedEncoding();
    yield { headers: fields, body: await reader.readUntil(delimiter, limits.partBytes) };
  }
}

const incompleteBody = () => invalid("the body is not a complete multipart body");

function headersOf(bytes: Uint8Array): Map<string, string> {
  const lines = decoder.decode(bytes).split(CRLF);
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** Reads a stream from delimiter to delimiter; holds what lies between two of them. */
class DelimitedReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #left: number;
  /** The bytes from `#start` to `#end` are read and not consumed. */
  #held = new Uint8Array(FIRST_BYTES);
  #start = 0;
  #end = 0;

  constructor(body: ReadableStream<Uint8Array>, limitBytes: number) {
    this.#pieces = piecesOf(body);
    this.#left = limitBytes;
    // The first boundary needs no line end before it.
    this.#append(encoder.encode(CRLF));
  }

  /** Consumes all up to and with the delimiter; null when more than `limit` bytes precede it. */
  async readUntil(delimiter: Uint8Array, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
    let from = this.#start;
    let isTooLong = false;
    for (;;) {
      const at = indexOfBytes(this.#held.subarray(0, this.#end), delimiter, from);
      if (at !== -1) {
        isTooLong ||= at - this.#start > limit;
        const part = isTooLong ? null : this.#held.slice(this.#start, at);
        this.#start = at + delimiter.length;
        return part;
      }
      from = Math.max(from, this.#end - delimiter.length + 1);
      if (isTooLong || from - this.#start > limit) {
        isTooLong = true;
        this.#start = from;
      }
      from -= await this.#fill();
    }
  }

  /** Whether these characters (ASCII) come next; they are not consumed. */
  async beginsWith(text: string): Promise<boolean> {
    while (this.#end - this.#start < text.length) await this.#fill();
    const next = this.#held.subarray(this.#start, this.#start + text.length);
    return decoder.decode(next) === text;
  }

  /** Reads more; returns by how much the held bytes moved to the front. */
  async #fill(): Promise<number> {
    const next = await this.#pieces.next().catch(throwCutOff);
    if (next.done === true) throw incompleteBody();
    this.#left -= next.value.byteLength;
    if (this.#left < 0) throw tooLarge();
    return this.#append(next.value);
  }

  #append(bytes: Uint8Array): number {
    const moved = this.#start;
    const rest = this.#held.subarray(this.#start, this.#end);
    const needed = rest.length + bytes.length;
    if (needed > this.#held.length) {
      this.#held = new Uint8Array(Math.max(needed, 2 * rest.length));
      this.#held.set(rest);
    } else if (moved > 0) this.#held.copyWithin(0, this.#start, this.#end);
    this.#held.set(bytes, rest.length);
    this.#start = 0;
    this.#end = needed;
    return moved;
  }
}
