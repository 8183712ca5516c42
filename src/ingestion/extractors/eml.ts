import { atPace, Progress } from "../../core/stretches.ts";
import type { Pace, Stretches } from "../../core/stretches.ts";
import type { Address, Attachment, Email } from "postal-mime";
import { TakesTooLong, textOf, UnreadableDocument } from "./extracted-document.ts";
import type { ExtractedDocument, Extraction, RawDocument } from "./extracted-document.ts";
import { extractHtml } from "./html.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";

const MAX_ATTACHMENTS = 100;
const MIB = 1 << 20;
/** The parser holds its parts several times over: more would not fit a Worker's memory. */
const MAX_MESSAGE_MIB = 18;
/** A message in an attachment of a message, and so on. */
const MAX_DEPTH = 4;
/** Parts within parts of one message. */
const MAX_PARTS_DEPTH = 50;

export type ExtractAttachment = (file: RawDocument, depth: number) => Promise<ExtractedDocument>;

/**
 * A mail message (RFC 5322, MIME): heading, header lines, text, then each attachment that can be
 * read under a heading of its own; the others are named in the notes.
 */
export async function extractEml(
  bytes: Uint8Array,
  extract: ExtractAttachment,
  depth: number,
  pace: Pace,
): Promise<Extraction> {
  if (bytes.length > MAX_MESSAGE_MIB * MIB) {
    throw new UnreadableDocument(`message is larger than ${MAX_MESSAGE_MIB} MiB`);
  }
  if (depth >= MAX_DEPTH) throw new UnreadableDocument("messages nest too deeply");
  const { default: PostalMime } = await import("postal-mime");
  const email = await PostalMime.parse(bytes, {
    attachmentEncoding: "arraybuffer",
    maxNestingDepth: MAX_PARTS_DEPTH,
    maxRfc822NestingDepth: MAX_DEPTH,
  }).catch((cause: unknown) => {
    throw new UnreadableDocument("message is damaged or nests too deeply", { cause });
  });
  const out = new MarkdownBuilder();
  const notes: string[] = [];
  const title = email.subject?.trim() || null;
  out.heading(1, title ?? "Message");
  for (const line of headerLines(email)) out.listItem(0, "-", line);
  await atPace(writeBody(email, out, notes), pace);
  for (const [index, attachment] of email.attachments.entries()) {
    await pace();
    if (index >= MAX_ATTACHMENTS) {
      notes.push(`${email.attachments.length - MAX_ATTACHMENTS} attachments left out`);
      break;
    }
    await writeAttachment(attachment, out, notes, (file) => extract(file, depth + 1));
  }
  return { text: out, title, language: null, pages: [], notes };
}

function headerLines(email: Email): string[] {
  const people = (label: string, addresses: Address[] | undefined) =>
    addresses === undefined || addresses.length === 0
      ? []
      : [`${label}: ${addresses.map(addressText).join(", ")}`];
  return [
    ...people("From", email.from === undefined ? undefined : [email.from]),
    ...people("To", email.to),
    ...people("Cc", email.cc),
    ...(email.date === undefined ? [] : [`Date: ${email.date}`]),
  ];
}

function addressText(address: Address): string {
  if (address.address === undefined) return address.name;
  return address.name === "" ? address.address : `${address.name} <${address.address}>`;
}

/** HTML tells more than its plain alternative; a message has one of both at least, or neither. */
function* writeBody(email: Email, out: MarkdownBuilder, notes: string[]): Stretches<void> {
  if (email.html !== undefined) {
    const body = yield* extractHtml(email.html);
    notes.push(...body.notes);
    if (body.text.length > 0) {
      out.raw(textOf(body));
      return;
    }
  }
  const progress = new Progress();
  for (const paragraph of (email.text ?? "").split(/\n[ \t]*\n/)) {
    out.paragraph(paragraph);
    const stretch = progress.stretchTo(out.length);
    if (stretch > 0) yield stretch;
  }
}

async function writeAttachment(
  attachment: Attachment,
  out: MarkdownBuilder,
  notes: string[],
  extract: (file: RawDocument) => Promise<ExtractedDocument>,
): Promise<void> {
  const { content, filename, mimeType } = attachment;
  const name = filename ?? "attachment";
  const isPicture = mimeType.startsWith("image/");
  const isShownInside = attachment.related === true || attachment.disposition === "inline";
  if (isPicture && isShownInside) return;
  const bytes =
    typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  try {
    const document = await extract({ name, mimeType, bytes });
    out.heading(2, name);
    out.raw(document.markdown.replace(/^(#{1,4}) /gm, "##$1 "));
    notes.push(...document.notes.map((note) => `${name}: ${note}`));
  } catch (error) {
    if (!(error instanceof UnreadableDocument) || error instanceof TakesTooLong) throw error;
    notes.push(`attachment ${name} left out: ${error.message}`);
  }
}
