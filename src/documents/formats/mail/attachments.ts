import { runCooperatively, type CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Reading } from "../../document-format.ts";
import { reasonOf, UnreadableDocument } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { releaseBytes } from "../../release-bytes.ts";
import { ENCLOSED } from "./body/body.ts";
import { writeShifted } from "./body/shifted-markdown.ts";
import { isCalendar, writeCalendar } from "./calendar.ts";
import { takeBody, type MailPart } from "./parts/mail-parts.ts";
import { isMessage, isWrapped, type MailTarget } from "./parts/message-contents.ts";
import { textOrEmpty } from "./parts/part-text.ts";
import { refuseUuencoded } from "./parts/transfer-encoding.ts";

const MAX_ATTACHMENTS = 100;
const UNNAMED = "attachment";
const TNEF_SIGNATURE = [0x78, 0x9f, 0x3e, 0x22];

export async function writeAttachments(attachments: MailPart[], target: MailTarget): Promise<void> {
  const { out, notes, yieldToOthers } = target;
  // Invitations come twice: beside the text, and as a file.
  const calendars = new Set<string>();
  for (const part of attachments.slice(0, MAX_ATTACHMENTS)) {
    await yieldToOthers();
    const bytes = takeBody(part);
    const calendar = await runCooperatively(calendarText(part, bytes), yieldToOthers);
    if (calendar === null) await writeFile(part, bytes, target);
    else if (!calendars.has(calendar)) {
      calendars.add(calendar);
      out.heading(2, part.name ?? "Calendar");
      await runCooperatively(writeCalendar(calendar, out), yieldToOthers);
    }
    releaseBytes(bytes);
  }
  const more = attachments.length - MAX_ATTACHMENTS;
  if (more > 0) notes.push(`${more} attachments left out`);
}

function* calendarText(part: MailPart, bytes: Uint8Array): CooperativeWork<string | null> {
  if (!/^(?:text\/calendar|application\/ics)$/.test(part.type) && !/\.ics$/i.test(part.name ?? ""))
    return null;
  const text = yield* textOrEmpty(bytes, part);
  return isCalendar(text) ? text : null;
}

async function writeFile(
  part: MailPart,
  bytes: Uint8Array,
  { out, notes, extract, yieldToOthers }: MailTarget,
): Promise<void> {
  const name = part.name ?? nameOf(part);
  const document = await readFile(part, name, bytes, extract).catch(reasonOf);
  if (document instanceof UnreadableDocument) {
    const what = name === UNNAMED ? "an attachment" : `attachment ${name}`;
    notes.push(`${what} left out: ${document.message}`);
    return;
  }
  // A part of headers alone always ends before the body that its headers announce.
  const isHead = part.type === "text/rfc822-headers";
  const ownNotes = document.notes.filter((note) => !isHead || note !== ENDS_EARLY);
  notes.push(...ownNotes.map((note) => `${name}: ${note}`));
  // A message has its subject as a heading.
  const isNamed = part.name !== null || !isMessage(part);
  if (isNamed) out.heading(2, name);
  await runCooperatively(writeShifted(document.markdown, out, isNamed ? 2 : 1), yieldToOthers);
}

async function readFile(
  part: MailPart,
  name: string,
  bytes: Uint8Array,
  extract: Reading["extract"],
) {
  if (TNEF_SIGNATURE.every((byte, at) => bytes[at] === byte)) {
    throw new UnreadableDocument("Outlook's own format (TNEF); send it as MIME");
  }
  if (isWrapped(part)) throw new UnreadableDocument(ENCLOSED);
  refuseUuencoded(part);
  if (part.type === "message/external-body") {
    throw new UnreadableDocument("it is not in the message");
  }
  const charset = part.parameters.get("charset");
  const mimeType = charset === undefined ? part.type : `${part.type}; charset=${charset}`;
  const isNamed = !isMessage(part) || /\.eml$/i.test(name);
  return await extract({ name: isNamed ? name : `${name}.eml`, mimeType, bytes });
}

function nameOf({ type }: MailPart): string {
  if (type === "message/delivery-status") return "Delivery status";
  if (type === "text/rfc822-headers") return "Headers of the message";
  return isMessage({ type }) ? "message" : UNNAMED;
}
