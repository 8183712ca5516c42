import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import { textOf, UnreadableDocument } from "../../../extracted-document.ts";
import { extractHtml, extractLetter } from "../../html/extract-html.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { releaseBytes } from "../../../release-bytes.ts";
import { ENCRYPTED, ENCRYPTED_PART, withoutEncrypted } from "./encrypted-text.ts";
import { isFuller } from "./fuller-text.ts";
import type { MailPart } from "../parts/mail-parts.ts";
import type { Body } from "../parts/message-contents.ts";
import type { PartContents } from "../parts/part-contents.ts";
import { refuseUuencoded } from "../parts/transfer-encoding.ts";
import { textOfPart, withLineFeedsAlone } from "../parts/part-text.ts";
import { writePlainBody } from "./plain-body.ts";
import { writeShifted } from "./shifted-markdown.ts";

/** Where the texts of a message go. */
export type BodyTarget = { contents: PartContents; out: MarkdownBuilder; notes: string[] };

/**
 * Writes the texts of a message; of alternatives, the first that has text. Returns the reason why
 * a text could not be read, which is also in the notes; null when all were read.
 */
export function* writeBody(
  body: Body[],
  target: BodyTarget,
  plain: MailPart | null = null,
): CooperativeWork<UnreadableDocument | null> {
  let unread: UnreadableDocument | null = null;
  for (const each of body) {
    target.out.endList();
    const writing =
      "part" in each
        ? writePart(each.part, target, body.length === 1 ? plain : null)
        : writeAlternatives(each.alternatives, target);
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
    else unread = (yield* writeBody(body, target, plainOf(alternatives))) ?? unread;
  }
  return unread;
}

function plainOf(alternatives: Body[][]): MailPart | null {
  const parts = alternatives.flatMap(([first, ...more]) =>
    first !== undefined && "part" in first && more.length === 0 ? [first.part] : [],
  );
  return parts.find(({ type }) => type === "text/plain") ?? null;
}

/** `plain`: the plain-text alternative of the part. */
function* writePart(
  part: MailPart,
  target: BodyTarget,
  plain: MailPart | null,
): CooperativeWork<UnreadableDocument | null> {
  const { contents, out, notes } = target;
  if (part.type === "text/html") {
    // A part with a Content-Location is a saved page (RFC 2557).
    const isPage = part.headers.first("content-location") !== null;
    const read = isPage ? extractHtml : extractLetter;
    const page = yield* readPart(part, contents, notes, read);
    if (page instanceof UnreadableDocument) return page;
    const markdown = textOf(page);
    if (plain !== null && isFuller(contents.look(plain), markdown)) {
      const before = out.length;
      yield* writePart(plain, target, null);
      if (out.length > before) return null;
    }
    notes.push(...page.notes);
    // The message has its subject as a heading.
    yield* writeShifted(markdown, out, 1);
    return null;
  }
  const write = (text: string) =>
    part.type === "text/plain"
      ? writePlainBody(text, out, flowOf(part))
      : writeShifted(text, out, 1);
  const unread = yield* readPart(part, contents, notes, write);
  return unread instanceof UnreadableDocument ? unread : null;
}

/** Takes the text out of its part, so that nothing else keeps it in memory while it is read. */
function* readPart<T>(
  part: MailPart,
  contents: PartContents,
  notes: string[],
  read: (text: string) => CooperativeWork<T>,
): CooperativeWork<T | UnreadableDocument> {
  const taken = takenText(part, contents);
  if (taken instanceof UnreadableDocument) {
    notes.push(`text left out: ${taken.message}`);
    return taken;
  }
  notes.push(...taken.notes);
  const reading = read(taken.text);
  taken.text = "";
  return yield* reading;
}

/** Decodes a part's text and releases its bytes before the text is written. */
function takenText(part: MailPart, contents: PartContents) {
  const bytes = withLineFeedsAlone(contents.take(part));
  try {
    refuseUuencoded(part);
    const found = textOfPart(bytes, part.parameters.get("charset"));
    const { text, hasEncrypted } = withoutEncrypted(found.text);
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
