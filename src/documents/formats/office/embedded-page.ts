import { runToEnd } from "../../../core/work/cooperative.ts";
import { readHtml } from "../html/read-html.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { decodeText, withLineFeeds } from "../../decoding/decode-text.ts";

const STEP_BYTES = 1 << 13;

export type EmbeddedPage = { kind: "html" | "text"; text: string };

/**
 * A part that a Word document includes unchanged (`altChunk`, ECMA-376 part 1, §17.17.2): plain
 * text, a web page, or a web page with its pictures as MHTML (RFC 2557). Null for other parts and
 * for damaged ones.
 */
export function embeddedPage(part: string, bytes: Uint8Array): EmbeddedPage | null {
  try {
    if (/\.te?xt$/i.test(part)) return { kind: "text", text: decoded(bytes) };
    if (/\.x?html?$/i.test(part)) return { kind: "html", text: decoded(bytes) };
    const page = /\.mht(?:ml)?$/i.test(part) ? pageOfMhtml(lettersOf(bytes)) : null;
    return page === null ? null : { kind: "html", text: page };
  } catch {
    return null;
  }
}

const decoded = (bytes: Uint8Array) => withLineFeeds(decodeText(bytes, null));

export function writePage({ kind, text }: EmbeddedPage, out: MarkdownBuilder): void {
  if (kind === "html") runToEnd(readHtml(text, out));
  else for (const paragraph of text.split(/\n\s*\n/)) out.paragraph(paragraph);
}

/** The plain text of a page, for places that hold only text: table cells. */
export function pageText(page: EmbeddedPage): string {
  const out = new MarkdownBuilder();
  writePage(page, out);
  return out.take();
}

function lettersOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += STEP_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + STEP_BYTES));
  return text;
}

/** `text` has a character for each byte. */
function pageOfMhtml(text: string): string | null {
  const boundary = /\bboundary="?([^"\r\n;]{1,200})/i.exec(text)?.[1];
  const parts = boundary === undefined ? [text] : text.split(`--${boundary}`);
  for (const part of parts) {
    const headEnd = /\r?\n\r?\n/.exec(part.trimStart());
    if (headEnd === null) continue;
    const head = part.trimStart().slice(0, headEnd.index);
    if (!/^content-type:\s*text\/html/im.test(head)) continue;
    const body = part.trimStart().slice(headEnd.index + headEnd[0].length);
    const charset = /\bcharset="?([\w.:-]+)/i.exec(head)?.[1] ?? null;
    return withLineFeeds(decodeText(bytesOf(body, head), charset));
  }
  return null;
}

function bytesOf(body: string, head: string): Uint8Array {
  const encoding = /^content-transfer-encoding:\s*([\w-]+)/im.exec(head)?.[1]?.toLowerCase();
  const plain =
    encoding === "base64"
      ? atob(body.replace(/[^\w+/=]/g, ""))
      : encoding === "quoted-printable"
        ? body
            .replace(/=[ \t]*\r?\n/g, "")
            .replace(/=([\da-f]{2})/gi, (_whole, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            )
        : body;
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
