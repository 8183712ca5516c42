import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { textOf, UnreadableDocument } from "../../../extracted-document.ts";
import { extractHtml, extractLetter } from "../../html/extract-html.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { releaseBytes } from "../../../release-bytes.ts";
import { withoutFromEscapes } from "../mailbox.ts";
import type { MailPart } from "../parts/mail-parts.ts";
import type { Body } from "../parts/message-contents.ts";
import type { PartContents } from "../parts/part-contents.ts";
import { refuseUuencoded } from "../parts/transfer-encoding.ts";
import { textOfPart, withLineFeedsAlone } from "../parts/part-text.ts";
import { writePlainBody } from "./plain-body.ts";
import { writeShifted } from "./shifted-markdown.ts";

/** Reason for a message that only its receiver can read. */
export const ENCRYPTED = "message is encrypted";
/** Reason for text inside a CMS structure (RFC 8551): encrypted, or enclosed in its signature. */
export const ENCLOSED = "message is encrypted or enclosed in its signature (S/MIME)";
/** Note where only a part is encrypted. */
export const ENCRYPTED_PART = "encrypted part left out";

const BEGIN = /^-----BEGIN PGP MESSAGE-----[ \t]*$/m;
const END = "-----END PGP MESSAGE-----";

/** Where the texts of a message go. `inMailbox`: lines that begin with `From ` are escaped. */
type BodyTarget = {
  contents: PartContents;
  out: MarkdownBuilder;
  notes: string[];
  inMailbox: boolean;
};

/**
 * Writes the texts of a message; of alternatives, the first that has text. Returns the reason why
 * a text could not be read, which is also in the notes; null when all were read.
 */
export function* writeBody(
  body: Body[],
  target: BodyTarget,
): CooperativeWork<UnreadableDocument | null> {
  let unread: UnreadableDocument | null = null;
  for (const each of body) {
    target.out.endList();
    const writing =
      "part" in each ? writePart(each.part, target) : writeAlternatives(each.alternatives, target);
    unread = (yield* writing) ?? unread;
  }
  return unread;
}

function* writeAlternatives(
  alternatives: Body[][],
  target: BodyTarget,
): CooperativeWork<UnreadableDocument | null> {
  const { contents, out } = target;
  const before = out.length;
  let unread: UnreadableDocument | null = null;
  for (const body of alternatives) {
    if (out.length > before) contents.drop(body);
    else unread = (yield* writeBody(body, target)) ?? unread;
  }
  return unread;
}

function* writePart(
  part: MailPart,
  target: BodyTarget,
): CooperativeWork<UnreadableDocument | null> {
  const { out, notes } = target;
  if (part.type === "text/html") {
    // A part with a Content-Location is a saved page (RFC 2557).
    const isPage = part.headers.first("content-location") !== null;
    const read = isPage ? extractHtml : extractLetter;
    const page = yield* readPart(part, target, read);
    if (page instanceof UnreadableDocument) return page;
    notes.push(...page.notes);
    // The message has its subject as a heading.
    yield* writeShifted(textOf(page), out, 1);
    return null;
  }
  const write = (text: string) =>
    part.type === "text/plain"
      ? writePlainBody(text, out, flowOf(part))
      : writeShifted(text, out, 1);
  const unread = yield* readPart(part, target, write);
  return unread instanceof UnreadableDocument ? unread : null;
}

/** Takes the text out of its part, so that nothing else keeps it in memory while it is read. */
function* readPart<T>(
  part: MailPart,
  target: BodyTarget,
  read: (text: string) => CooperativeWork<T>,
): CooperativeWork<T | UnreadableDocument> {
  const taken = takenText(part, target);
  if (taken instanceof UnreadableDocument) {
    target.notes.push(`text left out: ${taken.message}`);
    return taken;
  }
  target.notes.push(...taken.notes);
  const reading = read(taken.text);
  taken.text = "";
  return yield* reading;
}

/** Decodes a part's text and releases its bytes before the text is written. */
function takenText(part: MailPart, { contents, inMailbox }: BodyTarget) {
  const bytes = withLineFeedsAlone(contents.take(part));
  try {
    refuseUuencoded(part);
    const found = textOfPart(bytes, part.parameters.get("charset"));
    const isEscaped = inMailbox && part.encoding !== "base64";
    const whole = isEscaped ? withoutFromEscapes(found.text) : found.text;
    const { text, hasEncrypted } = withoutEncrypted(whole);
    if (!hasEncrypted) return { ...found, text };
    if (!/\S/.test(text)) return new UnreadableDocument(ENCRYPTED);
    return { text, notes: [...found.notes, ENCRYPTED_PART] };
  } catch (error) {
    if (error instanceof UnreadableDocument) return error;
    throw error;
  } finally {
    releaseBytes(bytes);
  }
}

function flowOf({ parameters }: MailPart) {
  const isFlowed = /^flowed$/i.test(parameters.get("format") ?? "");
  return isFlowed ? { deletesSpace: /^yes$/i.test(parameters.get("delsp") ?? "") } : null;
}

/** Removes a block of OpenPGP data (RFC 9580 §6.2) from a text. */
function withoutEncrypted(text: string): { text: string; hasEncrypted: boolean } {
  const start = text.search(BEGIN);
  const end = start < 0 ? -1 : text.indexOf(END, start);
  if (end < 0) return { text, hasEncrypted: false };
  return { text: text.slice(0, start) + text.slice(end + END.length), hasEncrypted: true };
}
