import { symbolCharacter } from "../office/symbol-fonts.ts";

const parseNumbers = (pairs: string) =>
  new Map(
    pairs.split(" ").map((pair) => [Number.parseInt(pair), pair.replace(/^\d+:/, "")] as const),
  );

/** Encodings by Windows code page number, as `\ansicpg` names them. */
const BY_CODE_PAGE = parseNumbers(
  "866:ibm866 874:windows-874 932:shift_jis 936:gb18030 949:euc-kr 950:big5 10000:macintosh 10007:x-mac-cyrillic 20866:koi8-r 28592:iso-8859-2 65001:utf-8",
);

const BY_CHARSET = parseNumbers(
  "77:macintosh 128:shift_jis 129:euc-kr 134:gb18030 136:big5 161:windows-1253 162:windows-1254 163:windows-1258 177:windows-1255 178:windows-1256 186:windows-1257 204:windows-1251 222:windows-874 238:windows-1250",
);

const FIRST_WINDOWS_PAGE = 1250;
const LAST_WINDOWS_PAGE = 1258;

export function encodingOfCodePage(page: number): string {
  if (page >= FIRST_WINDOWS_PAGE && page <= LAST_WINDOWS_PAGE) return `windows-${page}`;
  return BY_CODE_PAGE.get(page) ?? "windows-1252";
}

type Font = { encoding: string | null; isSymbol: boolean; name: string };

const UNDEFINED: Font = { encoding: null, isSymbol: false, name: "" };

/** Character set of fonts whose codes are pictures instead of letters. */
const SYMBOL_CHARSET = 2;
const PRIVATE_AREA = 0xf000;
const PRIVATE_CODES = 0x100;
const FIRST_BEYOND_ASCII = 0x80;
const UTF8_FONT = -2;
const RUN_BYTES = 1 << 16;

/** Decodes the bytes of a document by their fonts: a character may take several consecutive ones. */
export class RtfFonts {
  defaultFont = -1;
  encoding = "windows-1252";
  isUtf8 = false;
  #defined: Font = { ...UNDEFINED };
  readonly #fonts = new Map<number, Font>();
  readonly #decoders = new Map<string, TextDecoder>();
  /** Consecutive bytes in one font. */
  readonly #bytes = new Uint8Array(RUN_BYTES);
  #length = 0;
  #font = -1;
  /** The last character may continue in the next bytes. */
  #isGoingOn = false;
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  define(number: number): void {
    this.#defined = { ...UNDEFINED };
    this.#fonts.set(number, this.#defined);
  }

  setCharset(charset: number): void {
    this.#defined.encoding = BY_CHARSET.get(charset) ?? null;
    this.#defined.isSymbol = charset === SYMBOL_CHARSET;
  }

  setCodePage(page: number): void {
    this.#defined.encoding ??= encodingOfCodePage(page);
  }

  setName(name: string): void {
    this.#defined.name = name;
  }

  add(value: number, number: number, isRaw: boolean): void {
    const font = isRaw && this.isUtf8 && value >= FIRST_BEYOND_ASCII ? UTF8_FONT : number;
    if (font !== this.#font) this.endRun();
    this.#font = font;
    this.#bytes[this.#length++] = value;
    if (this.#length === RUN_BYTES) this.#decode(true);
  }

  endRun(): void {
    if (this.#length > 0 || this.#isGoingOn) this.#decode(false);
  }

  #decode(goesOn: boolean): void {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#isGoingOn = goesOn;
    const font = this.#fonts.get(this.#font);
    if (font?.isSymbol === true) {
      this.#write(Array.from(bytes, (code) => symbolCharacter(font.name, code) ?? " ").join(""));
      return;
    }
    const encoding = this.#font === UTF8_FONT ? "utf-8" : (font?.encoding ?? this.encoding);
    // Decoders are cached: a document has a run of bytes for almost every word.
    const decoder = this.#decoders.get(encoding) ?? new TextDecoder(encoding);
    this.#decoders.set(encoding, decoder);
    this.#write(decoder.decode(bytes, { stream: goesOn }));
  }

  /** A UTF-16 code unit; symbol fonts put their codes into the private area. */
  character(unit: number, number: number): string {
    const font = this.#fonts.get(number);
    const isPrivate = unit >= PRIVATE_AREA && unit < PRIVATE_AREA + PRIVATE_CODES;
    if (font?.isSymbol !== true || !isPrivate) return String.fromCharCode(unit);
    return symbolCharacter(font.name, unit) ?? " ";
  }
}
