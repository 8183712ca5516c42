import { symbolCharacter } from "../office/symbol-fonts.ts";
import { encodingOfCharset, encodingOfCodePage } from "./code-pages.ts";

type Font = { encoding: string | null; isSymbol: boolean; name: string };

/** Character set of fonts whose codes are pictures instead of letters. */
const SYMBOL_CHARSET = 2;
const PRIVATE_AREA = 0xf000;
const PRIVATE_CODES = 0x100;
const FIRST_BEYOND_ASCII = 0x80;
const UTF8_FONT = -2;

/** Fonts by number, and the decoding of their text. */
export class RtfFonts {
  /** The font of text without a font. */
  defaultFont = -1;
  /** The document's encoding, as `\ansicpg` declares it. */
  encoding = "windows-1252";
  isUtf8 = false;
  #defined = 0;
  readonly #fonts = new Map<number, Font>();
  readonly #decoders = new Map<string, TextDecoder>();

  define(number: number): void {
    this.#defined = number;
    this.#fonts.set(number, { encoding: null, isSymbol: false, name: "" });
  }

  setCharset(charset: number): void {
    const font = this.#fonts.get(this.#defined);
    if (font === undefined) return;
    font.encoding = encodingOfCharset(charset);
    font.isSymbol = charset === SYMBOL_CHARSET;
  }

  setCodePage(page: number): void {
    const font = this.#fonts.get(this.#defined);
    if (font !== undefined) font.encoding ??= encodingOfCodePage(page);
  }

  setName(name: string): void {
    const font = this.#fonts.get(this.#defined);
    if (font !== undefined) font.name = name;
  }

  fontOfRaw(value: number, number: number): number {
    return this.isUtf8 && value >= FIRST_BEYOND_ASCII ? UTF8_FONT : number;
  }

  encodingOf(number: number): string {
    return this.#fonts.get(number)?.encoding ?? this.encoding;
  }

  /** `goesOn`: the last character may continue in the next bytes. */
  decode(bytes: Uint8Array, number: number, goesOn: boolean): string {
    const font = this.#fonts.get(number);
    const encoding = number === UTF8_FONT ? "utf-8" : this.encodingOf(number);
    if (font?.isSymbol !== true) return this.#decoder(encoding).decode(bytes, { stream: goesOn });
    return Array.from(bytes, (code) => symbolCharacter(font.name, code) ?? " ").join("");
  }

  /** Decoders are cached: a document has a run of bytes for almost every word. */
  #decoder(encoding: string): TextDecoder {
    const decoder = this.#decoders.get(encoding) ?? new TextDecoder(encoding);
    this.#decoders.set(encoding, decoder);
    return decoder;
  }

  /** A UTF-16 code unit; symbol fonts put their codes into the private area. */
  character(unit: number, number: number): string {
    const font = this.#fonts.get(number);
    const isPrivate = unit >= PRIVATE_AREA && unit < PRIVATE_AREA + PRIVATE_CODES;
    if (font?.isSymbol !== true || !isPrivate) return String.fromCharCode(unit);
    return symbolCharacter(font.name, unit) ?? " ";
  }
}
