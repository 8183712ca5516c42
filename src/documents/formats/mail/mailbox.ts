import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../extracted-document.ts";

const LINE_FEED = 0x0a;
const FROM = new TextEncoder().encode("From ");
const MAX_MESSAGES = 20_000;
const LOOK_BYTES = 1_024;
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const DATES = [
  String.raw`${WEEKDAY},? ${MONTH} {1,2}\d{1,2}`,
  String.raw`(?:${WEEKDAY},? {1,2})?\d{1,2} ${MONTH} \d{4}`,
  String.raw`\d{4}-\d\d-\d\d(?:T[\d:.]{5,15}Z?)?`,
];
/** Sender, date (as `asctime`, RFC 4155, or another), then time, zone and year: prose is longer. */
const ENVELOPE = new RegExp(
  String.raw`^From \S.{0,320}? {1,2}(?:${DATES.join("|")})(?: {1,2}[\w:+.()-]{1,40}){0,6}\s{0,2}$`,
);
const HEADER = /^(?:>?From |[!-9;-~]+[ \t]*:)/;

/** The messages without their envelope lines; any other file as one message. */
export type Mailbox = { messages: Uint8Array[]; isMailbox: boolean };

/** Some writers put no blank line before an envelope line. @throws UnreadableDocument */
export function* messagesOf(bytes: Uint8Array): CooperativeWork<Mailbox> {
  if (!isEnvelope(bytes, 0)) return { messages: [bytes], isMailbox: false };
  const messages: Uint8Array[] = [];
  const progress = new Progress();
  let start = bytes.indexOf(LINE_FEED) + 1;
  for (let at = start; at > 0; at = bytes.indexOf(LINE_FEED, at) + 1) {
    yield* progress.advanceTo(at);
    if (!isEnvelope(bytes, at)) continue;
    messages.push(bytes.subarray(start, at));
    start = bytes.indexOf(LINE_FEED, at) + 1;
    if (messages.length < MAX_MESSAGES) continue;
    throw new UnreadableDocument(
      `mailbox has more than ${MAX_MESSAGES} messages; split it into several`,
    );
  }
  return { messages: [...messages, bytes.subarray(start)], isMailbox: true };
}

function isEnvelope(bytes: Uint8Array, at: number): boolean {
  if (!FROM.every((byte, index) => bytes[at + index] === byte)) return false;
  const text = new TextDecoder("latin1").decode(bytes.subarray(at, at + LOOK_BYTES));
  const lineEnd = text.indexOf("\n");
  return (
    lineEnd >= 0 && ENVELOPE.test(text.slice(0, lineEnd)) && HEADER.test(text.slice(lineEnd + 1))
  );
}

export const withoutFromEscapes = (text: string) => text.replace(/^>(>*From )/gm, "$1");
