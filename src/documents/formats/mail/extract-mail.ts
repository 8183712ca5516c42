import { runCooperatively, type YieldToOthers } from "../../../core/work/cooperative.ts";
import { writeAttachments } from "./attachments.ts";
import { ENCLOSED, ENCRYPTED, ENCRYPTED_PART, writeBody } from "./body/body.ts";
import { findParts, type FoundParts } from "./parts/mail-parts.ts";
import { mailTitle, senderLines } from "./mail-headers.ts";
import { messagesOf } from "./mailbox.ts";
import { isWrapped, sortParts } from "./parts/message-contents.ts";
import { PartContents } from "./parts/part-contents.ts";
import {
  TakesTooLong,
  UnreadableDocument,
  type Extraction,
  type RawDocument,
} from "../../extracted-document.ts";
import type { Reading } from "../../document-format.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { releaseBytes } from "../../release-bytes.ts";

const MAX_DEPTH = 4;
const MESSAGES_AT_ONCE = 50;
const MAX_NOTES = 200;

/** `inMailbox`: lines that begin with `From ` are escaped. */
type MessageOptions = Reading & { inMailbox: boolean };

/**
 * A mail message (RFC 5322, MIME): heading, header lines, text, then each readable attachment
 * under its own heading; other attachments are named in the notes. Of a mailbox, each message is
 * read.
 * @throws UnreadableDocument for what is encrypted, damaged, or nests too deeply.
 */
export async function extractMail({ bytes }: RawDocument, options: Reading): Promise<Extraction> {
  if (options.depth >= MAX_DEPTH) throw new UnreadableDocument("messages nest too deeply");
  const out = new MarkdownBuilder();
  const notes: string[] = [];
  const { messages, isMailbox } = await runCooperatively(messagesOf(bytes), options.yieldToOthers);
  const [message = bytes] = messages;
  const title =
    messages.length === 1
      ? await writeOnly(message, { ...options, inMailbox: isMailbox }, out, notes)
      : await writeMailbox(messages, options, out, notes);
  if (options.discardsBytes) releaseBytes(bytes);
  return { text: out, title, language: null, pages: [], notes };
}

async function writeOnly(
  message: Uint8Array,
  options: MessageOptions,
  out: MarkdownBuilder,
  notes: string[],
): Promise<string | null> {
  const parts = await runCooperatively(findParts(message), options.yieldToOthers);
  const { title, failure } = await writeMessage(parts, message, options, out, notes);
  if (failure !== null) throw failure;
  return title;
}

/** Writes each message of a mailbox; one that cannot be read does not affect the others. */
async function writeMailbox(
  messages: Uint8Array[],
  options: Reading,
  out: MarkdownBuilder,
  notes: string[],
): Promise<null> {
  // The mailbox's bytes are released when its last message is read.
  const kept = { ...options, discardsBytes: false, inMailbox: true };
  for (const [index, message] of messages.entries()) {
    if (index % MESSAGES_AT_ONCE === 0) await options.yieldToOthers();
    const found: string[] = [];
    const parts = await partsOrFailure(message, options.yieldToOthers);
    const { failure } =
      parts instanceof UnreadableDocument
        ? { failure: parts }
        : await writeMessage(parts, message, kept, out, found);
    if (failure !== null) found.push(failure.message);
    const room = Math.max(0, MAX_NOTES - notes.length);
    notes.push(...found.slice(0, room).map((note) => `message ${index + 1}: ${note}`));
  }
  return null;
}

async function partsOrFailure(
  message: Uint8Array,
  yieldToOthers: YieldToOthers,
): Promise<FoundParts | UnreadableDocument> {
  try {
    return await runCooperatively(findParts(message), yieldToOthers);
  } catch (error) {
    if (error instanceof UnreadableDocument && !(error instanceof TakesTooLong)) return error;
    throw error;
  }
}

/** `failure`: why only the headers can be read. */
async function writeMessage(
  { root, endsEarly }: FoundParts,
  message: Uint8Array,
  { discardsBytes, inMailbox, extract, yieldToOthers }: MessageOptions,
  out: MarkdownBuilder,
  notes: string[],
): Promise<{ title: string | null; failure: UnreadableDocument | null }> {
  const { body, attachments, hasEncrypted } = sortParts(root);
  // From here on each part has its own buffer, so the message's buffer can be released.
  const contents = new PartContents();
  await runCooperatively(contents.decode(message, body, attachments), yieldToOthers);
  if (discardsBytes) releaseBytes(message);
  const title = mailTitle(root.headers);
  out.heading(1, title ?? "Message");
  for (const line of senderLines(root.headers)) out.listItem(0, "-", line);
  const headLength = out.length;
  if (endsEarly) notes.push(ENDS_EARLY);
  const unread = await runCooperatively(
    writeBody(body, { contents, out, notes, inMailbox }),
    yieldToOthers,
  );
  await writeAttachments(attachments, { contents, out, notes, extract, yieldToOthers });
  if (out.length === headLength) {
    return {
      title,
      failure: hasEncrypted
        ? new UnreadableDocument(isWrapped(root) ? ENCLOSED : ENCRYPTED)
        : unread,
    };
  }
  if (hasEncrypted) notes.push(ENCRYPTED_PART);
  return { title, failure: null };
}
