import { UnreadableDocument } from "../../../extracted-document.ts";

const MAX_OBJECT_CHARACTERS = 8 << 20;
/** Limit of one array: the length of 25,000 references. */
const MAX_ARRAY_CHARACTERS = 1 << 18;
const BRACKET = /[[\]]/g;
/** Beyond this limit, texts are not looked at. */
const MAX_LOOKED_AT = 64 << 20;

/** A font has 65,536 characters at most: an array whose range ends higher holds no widths. */
const MAX_RANGE_END = 1_000_000;
const NUMBERS = /(?:\/([^\s/<>[\]()]{1,127})\s{0,9})?\[([\d\s.[\]-]*)/g;
const LARGE = /(?<![\d.-])\d{7,}(?![\d.])/g;
const WIDTHS = new Set([undefined, "W", "W2"]);

/** Whether objects may hold text that only annotations show. */
const SHOWN = /\/(?:Widget|FreeText|Encrypt)\b/;
/** A file specification whose file is in the PDF (ISO 32000-2, §7.11.3). */
const EMBEDDED = /\/EF\s{0,9}(?:<<|\d)/g;
const DICTIONARY = /<<[^<>]*>>/g;
const COMPOSITE = /\/Subtype\s*\/Type0\b/;
/** Collections whose glyph numbers are known: each has a character. */
const COLLECTION = /\/Ordering\s*\((?:Japan1|GB1|CNS1|Korea1)\)/g;

/** The references to a page's content, and the objects that the file holds. */
const CONTENTS = /\/Contents\s*(?:\[([\d\sR]*)\]|(\d+\s+\d+\s+R))/g;
const OBJECT = /(\d{1,10})\s+\d{1,5}\s+obj\b/g;

/** Facts about a file in the texts of its objects; encrypted objects have none. */
export class ObjectSigns {
  hasForms = false;
  isCut = false;
  embeddedFiles = 0;
  /** Adobe's viewer makes the pages from a form in XML (XFA): the only page asks others to wait. */
  needsRendering = false;
  #characters = 0;
  #longestArray = 0;
  #arrayStart: number | null = null;
  #unmapped = 0;
  #known = 0;
  #mapped = 0;
  readonly #contents = new Set<number>();
  readonly #objects = new Set<number>();

  add(text: string): void {
    if (this.#characters > MAX_LOOKED_AT) return;
    checkWidths(text);
    this.#addArrays(text);
    this.#addFonts(text);
    this.hasForms ||= SHOWN.test(text);
    this.needsRendering ||= /\/NeedsRendering\s{1,9}true\b/.test(text);
    this.embeddedFiles += text.match(EMBEDDED)?.length ?? 0;
    for (const [, number] of text.matchAll(OBJECT)) this.#objects.add(Number(number));
    for (const [, many = "", single = many] of text.matchAll(CONTENTS))
      for (const reference of single.split("R").filter((each) => /\d/.test(each)))
        this.#contents.add(Number.parseInt(reference));
  }

  /** Whether the file lacks a stream of a page's content; pdf.js shows an empty page instead. */
  get lacksContent(): boolean {
    const isWhole = this.#characters <= MAX_LOOKED_AT && !this.isCut;
    return isWhole && [...this.#contents].some((number) => !this.#objects.has(number));
  }

  /** Whether the structure tree may be too large: pdf.js reads its root again for each page. */
  get isTreeLarge(): boolean {
    return this.#characters > MAX_OBJECT_CHARACTERS || this.#longestArray > MAX_ARRAY_CHARACTERS;
  }

  get fonts(): { unmapped: number; mapped: number } {
    const knownFonts = Math.min(this.#known, this.#unmapped);
    return { unmapped: this.#unmapped - knownFonts, mapped: this.#mapped + knownFonts };
  }

  #addArrays(text: string): void {
    for (const { 0: bracket, index } of text.matchAll(BRACKET)) {
      const at = this.#characters + index;
      if (bracket === "]" && this.#arrayStart !== null) {
        this.#longestArray = Math.max(this.#longestArray, at - this.#arrayStart);
      }
      this.#arrayStart = bracket === "[" ? at : null;
    }
    this.#characters += text.length;
  }

  #addFonts(text: string): void {
    this.#known += text.match(COLLECTION)?.length ?? 0;
    const fonts = text.match(/\/Type\s*\/Font\b/g)?.length ?? 0;
    if (fonts === 0) return;
    const parts = text.match(/\/CIDFontType[02]\b/g)?.length ?? 0;
    const unmapped = (text.match(DICTIONARY) ?? []).filter(isUnmapped).length;
    this.#unmapped += unmapped;
    this.#mapped += Math.max(0, fonts - parts - unmapped);
  }
}

const isUnmapped = (font: string) =>
  COMPOSITE.test(font) &&
  /\/Encoding\s*\/Identity-[HV]\b/.test(font) &&
  !/\/ToUnicode\b/.test(font);

/** pdf.js expands the ranges of a font's widths to single characters. */
function checkWidths(text: string): void {
  for (const [, name, numbers = ""] of text.matchAll(NUMBERS)) {
    if (!WIDTHS.has(name)) continue;
    for (const [number] of numbers.matchAll(LARGE)) {
      if (Number(number) >= MAX_RANGE_END)
        throw new UnreadableDocument("PDF's font gives widths of too many characters");
    }
  }
}
