import { UnreadableDocument } from "../extracted-document.ts";

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const MAX_MESSAGES = 20_000;
const LOOK_BYTES = 1_024;
/** The envelope's line with its time, and the first header under it (RFC 4155). */
const ENVELOPE = /^From [^\r\n]*\d:\d\d[^\r\n]*\r?\n(?:>?From |[!-9;-~]+[ \t]*:)/;

/**
 * The messages of a mailbox (mbox), each without its envelope's line; of any other file, the whole.
 * @throws UnreadableDocument when there are more than a mailbox of this size may hold.
 */
export function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const starts = envelopes(bytes);
  if (starts.length === 0) return [bytes];
  return starts.map((start, index) => {
    const line = bytes.indexOf(LINE_FEED, start);
    return bytes.subarray(line + 1, starts[index + 1] ?? bytes.length);
  });
}

/** Where envelopes begin: at the very beginning, and behind blank lines. */
function envelopes(bytes: Uint8Array): number[] {
  if (!isEnvelope(bytes, 0)) return [];
  const starts = [0];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LINE_FEED) continue;
    const next = bytes[at + 1] === RETURN ? at + 2 : at + 1;
    if (bytes[next] !== LINE_FEED || !isEnvelope(bytes, next + 1)) continue;
    if (starts.length >= MAX_MESSAGES) {
      throw new UnreadableDocument(
        `mailbox holds more than ${MAX_MESSAGES} messages; split it into several`,
      );
    }
    starts.push(next + 1);
  }
  return starts;
}

function isEnvelope(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 0x46 || bytes[at + 1] !== 0x72) return false;
  return ENVELOPE.test(new TextDecoder("latin1").decode(bytes.subarray(at, at + LOOK_BYTES)));
}
