const MAX_TABLES = 200;
const MAX_ENTRIES = 500_000;
const HEAD_BYTES = 32;
const TAIL_BYTES = 2_048;
const START = "startxref";
/** Twenty bytes by the specification, nineteen in some files. */
const ENTRY = /(\d{10}) (\d{5}) ([nf])[ \r\n]{1,2}/y;
const SUBSECTION = /\s*(\d{1,7})\s+(\d{1,7})\s*/y;

/**
 * Makes pdf.js search for the objects itself if the file's own table (ISO 32000-1, 7.5.4) gives a
 * wrong offset: otherwise it would silently leave out objects that it does not find there.
 */
export function distrustWrongTable(bytes: Uint8Array): void {
  if (!hasWrongEntry(bytes)) return;
  for (let at = lastIndexOf(bytes, START, bytes.length); at >= 0;) {
    bytes.fill(0x20, at, at + START.length);
    at = lastIndexOf(bytes, START, at);
  }
}

function hasWrongEntry(bytes: Uint8Array): boolean {
  const seen = new Set<number>();
  let next = firstTable(bytes);
  let entries = 0;
  while (next !== null && seen.size < MAX_TABLES && !seen.has(next)) {
    seen.add(next);
    const table = readTable(bytes, next, MAX_ENTRIES - entries);
    if (table === null) return false;
    if (table.isWrong) return true;
    ({ previous: next } = table);
    ({ entries } = table);
  }
  return false;
}

/** The offset of the newest table; null if it is not given or is a stream. */
function firstTable(bytes: Uint8Array): number | null {
  const at = lastIndexOf(bytes, START, bytes.length);
  const told = at < 0 ? null : /^startxref\s+(\d{1,10})/.exec(textAt(bytes, at, HEAD_BYTES));
  return told === null ? null : Number(told[1]);
}

type Table = { isWrong: boolean; entries: number; previous: number | null };

function readTable(bytes: Uint8Array, start: number, maxEntries: number): Table | null {
  const head = /^\s*xref/.exec(textAt(bytes, start, HEAD_BYTES))?.[0];
  if (head === undefined) return null;
  let at = start + head.length;
  let entries = 0;
  for (;;) {
    const section = matchAt(SUBSECTION, textAt(bytes, at, HEAD_BYTES));
    if (section === null) break;
    const [first, count] = [Number(section[1]), Number(section[2])];
    entries += count;
    if (entries > maxEntries) return { isWrong: false, entries, previous: null };
    const end = endOfEntries(bytes, at + section[0].length, { first, count });
    if (end === null) return { isWrong: true, entries, previous: null };
    at = end;
  }
  const previous = /\/Prev\s+(\d{1,10})/.exec(textAt(bytes, at, TAIL_BYTES))?.[1];
  return { isWrong: false, entries, previous: previous === undefined ? null : Number(previous) };
}

/** The end of a subsection's entries; null when one is invalid or gives a wrong offset. */
function endOfEntries(
  bytes: Uint8Array,
  start: number,
  { first, count }: { first: number; count: number },
): number | null {
  let at = start;
  for (let number = first; number < first + count; number++) {
    const entry = matchAt(ENTRY, textAt(bytes, at, HEAD_BYTES));
    if (entry === null) return null;
    at += entry[0].length;
    const offset = Number(entry[1]);
    // Some writers mark free entries as in use.
    const isUsed = entry[3] === "n" && offset > 0;
    if (isUsed && !holdsObject(bytes, offset, number)) return null;
  }
  return at;
}

function holdsObject(bytes: Uint8Array, offset: number, number: number): boolean {
  const found = /^\s*(\d+)\s+\d+\s+obj/.exec(textAt(bytes, offset, HEAD_BYTES));
  return found !== null && Number(found[1]) === number;
}

function matchAt(pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

function lastIndexOf(bytes: Uint8Array, word: string, before: number): number {
  const first = word.charCodeAt(0);
  let at = before;
  while (at > 0) {
    at = bytes.lastIndexOf(first, at - 1);
    if (at < 0) return -1;
    if (textAt(bytes, at, word.length) === word) return at;
  }
  return -1;
}
