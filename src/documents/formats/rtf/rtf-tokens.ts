import { Buffer } from "node:buffer";

export type RtfToken =
  | { kind: "open" | "close" }
  /** `\b0` is word `b` with parameter 0; symbols such as `\~` are words of one character. */
  | { kind: "control"; word: string; parameter: number | undefined }
  /** A byte of the current code page, a whole or partial character; `isRaw`: it is not escaped. */
  | { kind: "byte"; value: number; isRaw: boolean };

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const APOSTROPHE = 0x27;
const HYPHEN = 0x2d;
const MAX_WORD_CHARACTERS = 32;

const isLetter = (byte: number) => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** Rich Text Format 1.9.1 without its binary data. `place`: how far the reader is, in bytes. */
export function* rtfTokens(bytes: Uint8Array, place: { at: number }): Generator<RtfToken> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    place.at = at;
    if (byte === BACKSLASH) {
      const { token, next } = controlAt(bytes, at + 1);
      at = next;
      if (token.kind === "control" && token.word === "bin") at += Math.max(0, token.parameter ?? 0);
      else yield token;
      continue;
    }
    at++;
    if (byte === OPEN) yield { kind: "open" };
    else if (byte === CLOSE) yield { kind: "close" };
    else if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN)
      yield { kind: "byte", value: byte, isRaw: true };
  }
}

type TokenAt = { token: RtfToken; next: number };

function controlAt(bytes: Uint8Array, start: number): TokenAt {
  const first = bytes[start] ?? SPACE;
  if (first === APOSTROPHE) return hexByteAt(bytes, start + 1);
  if (isLetter(first)) return wordAt(bytes, start);
  const isBreak = first === LINE_FEED || first === CARRIAGE_RETURN;
  const word = isBreak ? "par" : String.fromCharCode(first);
  return { token: { kind: "control", word, parameter: undefined }, next: start + 1 };
}

function hexByteAt(bytes: Uint8Array, start: number): TokenAt {
  const hex = String.fromCharCode(bytes[start] ?? SPACE, bytes[start + 1] ?? SPACE);
  const value = Number.parseInt(hex, 16);
  if (Number.isNaN(value))
    return { token: { kind: "byte", value: SPACE, isRaw: false }, next: start };
  return { token: { kind: "byte", value, isRaw: false }, next: start + 2 };
}

function wordAt(bytes: Uint8Array, start: number): TokenAt {
  const wordEnd = runEnd(bytes, start, isLetter);
  const word = String.fromCharCode(...bytes.subarray(start, wordEnd));
  const digitsStart = bytes[wordEnd] === HYPHEN ? wordEnd + 1 : wordEnd;
  const end = runEnd(bytes, digitsStart, isDigit);
  const digits = String.fromCharCode(...bytes.subarray(wordEnd, end));
  const parameter = end === digitsStart ? undefined : Number(digits);
  return {
    token: { kind: "control", word, parameter },
    next: bytes[end] === SPACE ? end + 1 : end,
  };
}

function runEnd(bytes: Uint8Array, start: number, belongs: (byte: number) => boolean): number {
  let end = start;
  while (end - start < MAX_WORD_CHARACTERS && belongs(bytes[end] ?? 0)) end++;
  return end;
}

export const SKIPPED = new Set(
  "colortbl pict objclass objname objalias objsect header headerl headerr headerf footer footerl footerr footerf annotation atnid atnauthor nonshppict listtable listoverridetable revtbl rsidtbl xmlnstbl themedata colorschememapping datastore latentstyles generator bkmkstart bkmkend filetbl xe tc comment ftnsep ftnsepc sp shprslt mctrlPr nonesttables".split(
    " ",
  ),
);
/** Ignorable destinations (`\*`) that contain text. */
export const READ_ALTHOUGH_IGNORABLE = new Set(
  "shpinst shptxt footnote fldinst objdata do moMath moMathPara nesttableprops".split(" "),
);

export const SYMBOLS: Record<string, string> = {
  "~": " ",
  _: "-",
  "{": "{",
  "}": "}",
  "\\": "\\",
  tab: " ",
  line: "\n",
  lbr: "\n",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
};

/** The header of an object and the name of its file take fewer digits. */
export const MAX_OBJECT_DIGITS = 1 << 10;

/** The name of a packed file, or the class of an object (MS-OLEDS, §2.2.5 and §2.3.6). */
export function nameOfObject(digits: string): string {
  const bytes = Buffer.from(digits.replaceAll(" ", ""), "hex").toString("latin1");
  const [, type = "", name = type] =
    /^[^]{12}([^\0]{1,99})\0(?:[^]{12}\x02\0([^\0]{1,255})\0)?/.exec(bytes) ?? [];
  return name;
}
