import { decodeWords } from "postal-mime";

import { ITEM_COST, Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../../extracted-document.ts";
import { headersOf, parseStructured, type MailHeaders } from "../mail-headers.ts";

/** One part of a message (RFC 2045): where its body lies in the message's bytes, undecoded. */
export type MailPart = {
  headers: MailHeaders;
  /** In lower case, such as `text/plain`. */
  type: string;
  parameters: ReadonlyMap<string, string>;
  /** The transfer encoding: `base64`, `quoted-printable`, `7bit` and so on. */
  encoding: string;
  disposition: string;
  name: string | null;
  start: number;
  end: number;
  /** Decoded, in a buffer of its own; empty before that and after it was taken. */
  body: Uint8Array<ArrayBuffer>;
  parts: MailPart[];
};

const MAX_PARTS_DEPTH = 50;
const MAX_PARTS = 10_000;
const MAX_HEADER_BYTES = 1 << 21;
/** RFC 2046 allows 70. */
const MAX_BOUNDARY_BYTES = 200;
const MAX_LINE_BYTES = 2 * MAX_BOUNDARY_BYTES;
/** Limit of header lines that are no fields but may have fields after them. */
const MAX_ODD_BYTES = 1 << 16;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const DASH = 0x2d;
const TYPE = /^[^\s/]+\/[^\s/]+$/;
const BLANK = /^\r?\n$/;
/** A field, or a line that continues one. */
const IN_HEAD = /^(?:[!-9;-~]+[ \t]*:|[ \t])/;
const BEGINS_HEAD = /^(?:[!-9;-~]+[ \t]*:|\s*$|--)/;

const latin1 = new TextDecoder("latin1");
const encoder = new TextEncoder();

/** Hands a part's decoded bytes over to the caller; works once for each part. */
export function takeBody(part: MailPart): Uint8Array<ArrayBuffer> {
  const { body } = part;
  part.body = new Uint8Array();
  return body;
}

/**
 * Finds the parts of a message by their boundaries (RFC 2046 §5.1), in one pass over its bytes and
 * without a copy. `isTruncated`: the last boundary of some part is missing.
 * @throws UnreadableDocument for a message that nests too deeply or has too many parts or headers.
 */
export class PartsReader {
  readonly #bytes: Uint8Array;
  readonly #open: { part: MailPart; boundary: string }[] = [];
  #parts = 0;
  #headerBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  *read(): CooperativeWork<{ root: MailPart; endsEarly: boolean }> {
    const bytes = this.#bytes;
    const progress = new Progress();
    const root = yield* this.#openPart(this.#firstLine(), null);
    let current: MailPart | null = root;
    let at = this.#findDashes(root.start);
    while (at < bytes.length) {
      yield* progress.advanceTo(at);
      const delimiter = this.#delimiterOn(this.#lineAt(at));
      let next = this.#nextLine(at);
      if (delimiter !== null) {
        const end = this.#skipBreakBefore(at);
        if (current !== null) current.end = Math.max(current.start, end);
        this.#close(delimiter.isLast ? delimiter.depth : delimiter.depth + 1, end);
        const parent = this.#open[delimiter.depth]?.part ?? null;
        current = delimiter.isLast ? null : yield* this.#openPart(next, parent);
        next = Math.max(next, current?.start ?? 0);
      }
      at = this.#findDashes(next);
    }
    const endsEarly = this.#open.length > 0;
    if (current !== null) current.end = bytes.length;
    this.#close(0, bytes.length);
    return { root, endsEarly };
  }

  /** Skips blank lines and a byte-order mark that an exporter put before the headers. */
  #firstLine(): number {
    const bytes = this.#bytes;
    let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    while (bytes[at] === LINE_FEED || bytes[at] === RETURN) at++;
    return at;
  }

  #close(depth: number, end: number): void {
    for (const { part } of this.#open.splice(depth)) {
      part.end = Math.max(part.start, end);
      // A multipart without parts is a single text.
      if (part.parts.length === 0) part.type = "text/plain";
    }
  }

  *#openPart(at: number, parent: MailPart | null): CooperativeWork<MailPart> {
    if (++this.#parts > MAX_PARTS) {
      throw new UnreadableDocument(`message has more than ${MAX_PARTS} parts`);
    }
    const { headEnd, start } = yield* this.#headAt(at);
    this.#headerBytes += headEnd - at;
    if (this.#headerBytes > MAX_HEADER_BYTES) tooDeep();
    const headers = yield* headersOf(this.#bytes.subarray(at, headEnd));
    const usual = parent?.type === "multipart/digest" ? "message/rfc822" : "text/plain";
    const part = partOf(headers, usual, start);
    parent?.parts.push(part);
    if (!part.type.startsWith("multipart/")) return part;
    if (this.#open.length >= MAX_PARTS_DEPTH) tooDeep();
    const boundary = latin1.decode(encoder.encode(part.parameters.get("boundary")));
    const isUsable = boundary !== "" && boundary.length <= MAX_BOUNDARY_BYTES;
    if (isUsable) this.#open.push({ part, boundary });
    else part.type = "text/plain";
    return part;
  }

  *#headAt(at: number): CooperativeWork<{ headEnd: number; start: number }> {
    // A part that has neither headers nor the blank line after them begins with its text.
    if (at > 0 && !BEGINS_HEAD.test(this.#lineAt(at))) return { headEnd: at, start: at };
    const most = Math.min(this.#bytes.length, at + MAX_HEADER_BYTES + 1);
    let text: number | null = null;
    let end = at;
    let start = at;
    while (end < most) {
      const line = this.#lineAt(end);
      start = BLANK.test(line) ? this.#nextLine(end) : end;
      if (start > end || this.#delimiterOn(line) !== null) break;
      if (IN_HEAD.test(line)) text = null;
      else text ??= end;
      if (text !== null && end - text > MAX_ODD_BYTES) break;
      start = end = this.#nextLine(end);
      yield line.length + ITEM_COST;
    }
    return text === null ? { headEnd: end, start } : { headEnd: text, start: text };
  }

  #lineAt(at: number): string {
    const end = Math.min(this.#nextLine(at), at + MAX_LINE_BYTES);
    return latin1.decode(this.#bytes.subarray(at, end));
  }

  /** The innermost multipart whose boundary a line is, and whether it is the closing one. */
  #delimiterOn(whole: string): { depth: number; isLast: boolean } | null {
    if (!whole.startsWith("--")) return null;
    const line = whole.trimEnd();
    const next = this.#depthOf(line.slice(2));
    const last = line.endsWith("--") ? this.#depthOf(line.slice(2, -2)) : -1;
    return next < 0 && last < 0 ? null : { depth: Math.max(next, last), isLast: last >= next };
  }

  #depthOf(line: string): number {
    return this.#open.findLastIndex(({ boundary }) => boundary === line);
  }

  /** The offset of the next line that begins with two dashes; `from` is the start of a line. */
  #findDashes(from: number): number {
    const bytes = this.#bytes;
    if (this.#open.length === 0) return bytes.length;
    if (bytes[from] === DASH && bytes[from + 1] === DASH) return from;
    for (let at = from; at < bytes.length; at++) {
      const isFound = bytes[at] === LINE_FEED && bytes[at + 1] === DASH && bytes[at + 2] === DASH;
      if (isFound) return at + 1;
    }
    return bytes.length;
  }

  #nextLine(at: number): number {
    const feed = this.#bytes.indexOf(LINE_FEED, at);
    return feed < 0 ? this.#bytes.length : feed + 1;
  }

  #skipBreakBefore(at: number): number {
    if (this.#bytes[at - 1] !== LINE_FEED) return at;
    return this.#bytes[at - 2] === RETURN ? at - 2 : at - 1;
  }
}

function tooDeep(): never {
  throw new UnreadableDocument("message is damaged or nests too deeply", "damaged");
}

function partOf(headers: MailHeaders, usual: string, start: number): MailPart {
  const content = parseStructured(headers.first("content-type") ?? usual);
  const disposition = parseStructured(headers.first("content-disposition") ?? "");
  const encoding = parseStructured(headers.first("content-transfer-encoding") ?? "").value;
  const name = disposition.parameters.get("filename") ?? content.parameters.get("name") ?? "";
  return {
    headers,
    type: TYPE.test(content.value) ? content.value : "text/plain",
    parameters: content.parameters,
    encoding,
    disposition: disposition.value,
    name: decodeWords(name).split(/[/\\]/).at(-1)?.trim() || null,
    start,
    end: start,
    body: new Uint8Array(),
    parts: [],
  };
}
