import { ITEM_COST, Pace, runCooperatively } from "../../../core/work/cooperative.ts";
import type { Reading } from "../../document-format.ts";
import {
  reasonOf,
  UnreadableDocument,
  type Extraction,
  type RawDocument,
} from "../../extracted-document.ts";
import { headOf } from "../../media-type/foreign-types.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { releaseBytes } from "../../release-bytes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { writeAttachments } from "./attachments.ts";
import { ENCLOSED, ENCRYPTED, ENCRYPTED_PART, writeBody } from "./body/body.ts";
import { mailTitle, senderLines } from "./mail-headers.ts";
import { messagesOf } from "./mailbox.ts";
import { PartsReader, takeBody } from "./parts/mail-parts.ts";
import { isWrapped, partsOf, sortParts, type MailTarget } from "./parts/message-contents.ts";
import { decodeBodies } from "./parts/transfer-encoding.ts";

const MAX_DEPTH = 4;
const MAX_NOTES = 200;
const [LINE_FEED, RETURN] = [0x0a, 0x0d] as const;

/**
 * A mail message (RFC 5322, MIME) or each one of a mailbox: heading, header lines, text, then each
 * readable attachment under its own heading; the notes name the others.
 * @throws UnreadableDocument for what is encrypted, damaged, or nests too deeply
 */
export async function readFile({ bytes }: RawDocument, options: Reading): Promise<Extraction> {
  if (options.depth >= MAX_DEPTH) throw new UnreadableDocument("messages nest too deeply");
  const reading = messagesOf(mailOf(bytes));
  const { messages, isMailbox } = await runCooperatively(reading, options.yieldToOthers);
  const target = { ...options, inMailbox: isMailbox, out: new MarkdownBuilder(), notes: [] };
  const [message = bytes, ...rest] = messages;
  const only = rest.length === 0 ? await writeMessage(message, target) : null;
  if (only === null) await writeMailbox(messages, target);
  else if (only.failure !== null) throw only.failure;
  if (options.discardsBytes) releaseBytes(bytes);
  const { out, notes } = target;
  return out.extraction({ title: only?.title ?? null, notes });
}

/** Without the length and the facts that Apple Mail puts around it; old Macs end lines with CR. */
function mailOf(bytes: Uint8Array): Uint8Array {
  const [line = "", length] = /^(\d{1,10})[ \t]*\r?\n/.exec(headOf(bytes)) ?? [];
  const end = line.length + Number(length);
  const isEnd = headOf(bytes.subarray(end)).trimStart().startsWith("<?xml");
  const mail = bytes.subarray(line.length, isEnd ? end : undefined);
  return mail.includes(LINE_FEED) ? mail : mail.map((byte) => (byte === RETURN ? LINE_FEED : byte));
}

async function writeMailbox(messages: Uint8Array[], target: MailTarget): Promise<void> {
  const pace = new Pace(target.yieldToOthers);
  for (const [index, message] of messages.entries()) {
    await pace.count(message.length + 40 * ITEM_COST);
    const innerNotes: string[] = [];
    // The mailbox's bytes are released when its last message is read.
    const inner = { ...target, discardsBytes: false, notes: innerNotes };
    const { failure } = await writeMessage(message, inner);
    if (failure !== null) innerNotes.push(failure.message);
    const room = Math.max(0, MAX_NOTES - target.notes.length);
    target.notes.push(...innerNotes.slice(0, room).map((note) => `message ${index + 1}: ${note}`));
  }
}

/** `failure`: why only the headers can be read, or nothing. */
async function writeMessage(
  message: Uint8Array,
  target: MailTarget,
): Promise<{ title: string | null; failure: UnreadableDocument | null }> {
  const { out, notes, yieldToOthers } = target;
  const reading = new PartsReader(message).read();
  const parts = await runCooperatively(reading, yieldToOthers).catch(reasonOf);
  if (parts instanceof UnreadableDocument) return { title: null, failure: parts };
  const { root, endsEarly } = parts;
  const { body, attachments, images, hasEncrypted } = sortParts(root);
  // From here on each part has its own buffer, so the message's buffer can be released.
  await runCooperatively(
    decodeBodies(message, [...partsOf(body), ...attachments, ...images]),
    yieldToOthers,
  );
  if (target.discardsBytes) releaseBytes(message);
  const title = mailTitle(root.headers);
  out.heading(1, title ?? "Message");
  for (const line of senderLines(root.headers)) out.listItem(0, "-", line);
  const headLength = out.length;
  if (endsEarly) notes.push(ENDS_EARLY);
  const unread = await runCooperatively(writeBody(body, target), yieldToOthers);
  for (const image of images) out.paragraph(target.pictures.reserve(takeBody(image).slice()));
  await target.pictures.readReserved();
  await writeAttachments(attachments, target);
  if (out.length > headLength) {
    if (hasEncrypted) notes.push(ENCRYPTED_PART);
    return { title, failure: null };
  }
  if (!hasEncrypted) return { title, failure: unread };
  return {
    title,
    failure: new UnreadableDocument(isWrapped(root) ? ENCLOSED : ENCRYPTED, "encrypted"),
  };
}
