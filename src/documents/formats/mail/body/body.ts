import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { replaceAll } from "../../../decoding/decode-text.ts";
import { reasonOf, textOf, UnreadableDocument } from "../../../extracted-document.ts";
import { releaseBytes } from "../../../release-bytes.ts";
import { readPage } from "../../html/extract-html.ts";
import { withoutFromEscapes } from "../mailbox.ts";
import { takeBody, type MailPart } from "../parts/mail-parts.ts";
import { partsOf, type Body, type MailTarget } from "../parts/message-contents.ts";
import { textOfPart, textOrEmpty, normalizeLineEnds } from "../parts/part-text.ts";
import { refuseUuencoded } from "../parts/transfer-encoding.ts";
import { writePlainBody } from "./plain-body.ts";
import { writeShifted } from "./shifted-markdown.ts";

export const ENCRYPTED = "message is encrypted";
/** Reason for text inside a CMS structure (RFC 8551): encrypted, or enclosed in its signature. */
export const ENCLOSED = "message is encrypted or enclosed in its signature (S/MIME)";
export const ENCRYPTED_PART = "encrypted part left out";

/** A space that only divides a line (RFC 3676, §4.1), but for that of a signature or a quotation. */
const FLOWED = /(?<!--) \n(?!>)/g;
const BEGIN = /^-----BEGIN PGP MESSAGE-----[ \t]*$/m;
const END = "-----END PGP MESSAGE-----";

/**
 * Writes the first alternative that has text. Returns why a text is not read; null when all are.
 */
export function* writeBody(
  body: Body[],
  target: MailTarget,
): CooperativeWork<UnreadableDocument | null> {
  let unread: UnreadableDocument | null = null;
  for (const each of body) {
    target.out.endList();
    const before = target.out.length;
    if ("part" in each) unread = (yield* writePart(each.part, target)) ?? unread;
    else {
      for (const alternative of yield* orderByWords(each.alternatives, target.notes)) {
        const isWritten = target.out.length > before;
        if (isWritten) for (const part of partsOf(alternative)) releaseBytes(takeBody(part));
        else unread = (yield* writeBody(alternative, target)) ?? unread;
      }
    }
  }
  return unread;
}

/** A page of pictures and "View in browser" has no third of the plain text's words. */
const MIN_SHARE = 1 / 3;
const PLAIN_USED = "a page of few words is left out: the message has more as plain text";
const UNSHOWN = /<(?=style|script|title)/i;
const END_OF_UNSHOWN = /<\/(?:style|script|title)/i;

/** The plain text first where the page has less than a third of its words. */
function* orderByWords(alternatives: Body[][], notes: string[]): CooperativeWork<Body[][]> {
  const counts: number[] = [];
  for (const parts of alternatives.map(partsOf)) {
    let count = 0;
    for (const part of parts) count += yield* wordsIn(part);
    counts.push(count);
  }
  const plain = alternatives.findIndex((_, at) => (counts[at] ?? 0) * MIN_SHARE > (counts[0] ?? 0));
  if (plain < 0) return alternatives;
  if ((counts[0] ?? 0) > 0) notes.push(PLAIN_USED);
  return [...alternatives.slice(plain), ...alternatives.slice(0, plain)];
}

/** Roughly: without the markup's and without addresses, which plain text spells out. */
function* wordsIn(part: MailPart): CooperativeWork<number> {
  const { type } = part;
  const bytes = part.body.subarray(0, COUNTED_BYTES);
  const text = yield* textOrEmpty(bytes, part);
  yield bytes.length;
  const visible = text
    .split(type === "text/html" ? UNSHOWN : /$^/)
    .map((part, at) => (at === 0 ? part : part.slice(part.search(END_OF_UNSHOWN))))
    .join("")
    .replace(type === "text/html" ? /<[^<>]*>|&\w{1,8};/g : /https?:\S+/g, " ");
  return visible.match(/[\p{L}\p{N}]{2,}/gu)?.length ?? 0;
}

const COUNTED_BYTES = 1 << 20;

function* writePart(
  part: MailPart,
  target: MailTarget,
): CooperativeWork<UnreadableDocument | null> {
  const contents = yield* takeText(part, target);
  if (contents instanceof UnreadableDocument) {
    target.notes.push(`text left out: ${contents.message}`);
    return contents;
  }
  target.notes.push(...contents.notes);
  if (part.parameters.get("delsp")?.toLowerCase() === "yes")
    contents.text = yield* replaceAll(contents, FLOWED, "");
  const writing = writeText(part, contents.text, target);
  // Nothing but its reader keeps the text in memory.
  contents.text = "";
  yield* writing;
  return null;
}

function writeText(part: MailPart, text: string, target: MailTarget): CooperativeWork<void> {
  if (part.type === "text/plain") return writePlainBody(text, target.out);
  if (part.type !== "text/html") return writeShifted(text, target.out, 1);
  // A part with a Content-Location is a saved page (RFC 2557). Letters have no site navigation.
  const keepNavigation = part.headers.first("content-location") === null;
  return writePage(readPage(text, { keepNavigation }), target);
}

function* writePage(
  reading: ReturnType<typeof readPage>,
  { out, notes }: MailTarget,
): CooperativeWork<void> {
  const page = yield* reading;
  notes.push(...page.notes);
  // The message has its subject as a heading.
  yield* writeShifted(textOf(page), out, 1);
}

function* takeText(part: MailPart, { inMailbox }: MailTarget) {
  const bytes = normalizeLineEnds(takeBody(part));
  try {
    refuseUuencoded(part);
    const decoded = yield* textOfPart(bytes, part.parameters.get("charset"));
    const isEscaped = inMailbox && part.encoding !== "base64";
    return removeEncrypted(
      isEscaped ? withoutFromEscapes(decoded.text) : decoded.text,
      decoded.notes,
    );
  } catch (error) {
    return reasonOf(error);
  } finally {
    releaseBytes(bytes);
  }
}

/** Removes a block of OpenPGP data (RFC 9580 §6.2) from a text. */
function removeEncrypted(whole: string, notes: string[]) {
  const start = whole.search(BEGIN);
  const end = start < 0 ? -1 : whole.indexOf(END, start);
  if (end < 0) return { text: whole, notes };
  const text = whole.slice(0, start) + whole.slice(end + END.length);
  if (!/\S/.test(text)) throw new UnreadableDocument(ENCRYPTED, "encrypted");
  return { text, notes: [...notes, ENCRYPTED_PART] };
}
