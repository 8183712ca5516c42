import type { ExtractedDocument } from "./extractors/extracted-document.ts";

/** So much is encoded at once: a long text must not stand beside a copy of itself. */
const PIECE_CHARACTERS = 1 << 17;
const FIRST_LINE_END = "\n";

const encoder = new TextEncoder();

/** Keeps an extracted document: a line of JSON with its facts, then its text. */
export async function putText(
  bucket: R2Bucket,
  key: string,
  { markdown, ...facts }: ExtractedDocument,
): Promise<void> {
  const head = encoder.encode(JSON.stringify(facts) + FIRST_LINE_END);
  let length = head.length;
  for (const piece of piecesOf(markdown)) length += piece.length;
  const { readable, writable } = new FixedLengthStream(length);
  await Promise.all([bucket.put(key, readable), write(writable, head, markdown)]);
}

async function write(
  writable: WritableStream<Uint8Array>,
  head: Uint8Array,
  markdown: string,
): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(head);
  for (const piece of piecesOf(markdown)) await writer.write(piece);
  await writer.close();
}

/** The text as UTF-8, piece by piece, no character divided. */
function* piecesOf(markdown: string): Generator<Uint8Array> {
  let at = 0;
  while (at < markdown.length) {
    const latest = at + PIECE_CHARACTERS;
    const isInPair = latest < markdown.length && /[\ud800-\udbff]/.test(markdown[latest - 1] ?? "");
    const end = isInPair ? latest - 1 : latest;
    yield encoder.encode(markdown.slice(at, end));
    at = end;
  }
}

/** The document kept under this key; null when there is none. */
export async function getText(bucket: R2Bucket, key: string): Promise<ExtractedDocument | null> {
  const object = await bucket.get(key);
  if (object === null) return null;
  const whole = await object.text();
  const end = whole.indexOf(FIRST_LINE_END);
  const facts = JSON.parse(whole.slice(0, end)) as Omit<ExtractedDocument, "markdown">;
  return { ...facts, markdown: whole.slice(end + 1) };
}
