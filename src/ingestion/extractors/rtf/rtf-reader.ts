import { longer } from "../bounded-text.ts";
import { UnreadableDocument } from "../extracted-document.ts";
import { foldSpace } from "../fold-space.ts";
import type { MarkdownBuilder } from "../markdown-builder.ts";
import { encodingOfCharset, encodingOfCodePage } from "./code-pages.ts";
import type { RtfToken } from "./rtf-tokens.ts";

/** What a group inherits and gives back at its end. */
type Group = {
  destination: "text" | "skip" | "fonts" | "styles" | "title" | "list-text" | "note";
  isHidden: boolean;
  font: number;
  /** Bytes to skip after `\u`. */
  unicodeSkip: number;
};

/** `marker`: `-` or a number with its point; empty outside lists. */
type Paragraph = { level: number; isInTable: boolean; marker: string };

const SKIPPED = new Set(
  "colortbl pict object header headerl headerr headerf footer footerl footerr footerf annotation atnid atnauthor nonshppict fldinst listtable listoverridetable revtbl rsidtbl xmlnstbl themedata colorschememapping datastore latentstyles generator bkmkstart bkmkend filetbl xe tc comment author operator keywords subject doccomm ftnsep ftnsepc".split(
    " ",
  ),
);
/** Ignorable destinations (`\*`) that hold text all the same. */
const READ_ALTHOUGH_IGNORABLE = new Set(["shpinst", "shptxt", "footnote"]);
/** Groups within groups; writers nest a few dozen at most. */
const MAX_GROUPS = 1_000;
const SYMBOLS: Record<string, string> = {
  "~": " ",
  _: "-",
  "{": "{",
  "}": "}",
  "\\": "\\",
  tab: " ",
  line: "\n",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
};

/** Follows RTF's groups and gathers paragraphs, tables, notes and headings. */
export class RtfReader {
  title = "";
  hiddenCharacters = 0;
  #group: Group = { destination: "text", isHidden: false, font: -1, unicodeSkip: 1 };
  readonly #groups: Group[] = [];
  #isIgnorable = false;
  #skipBytes = 0;
  #text = "";
  #bytes: number[] = [];
  #bytesEncoding = "windows-1252";
  #encoding = "windows-1252";
  #page = 1;
  #paragraph: Paragraph = { level: 0, isInTable: false, marker: "" };
  #row: string[] = [];
  #rows: string[][] = [];
  #side = "";
  #definedFont = 0;
  #definedStyle = 0;
  readonly #notes: string[] = [];
  readonly #fontEncodings = new Map<number, string>();
  readonly #styleLevels = new Map<number, number>();
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  accept(token: RtfToken): void {
    if (token.kind === "byte") {
      this.#acceptByte(token.value);
      return;
    }
    this.#decodeBytes();
    this.#skipBytes = 0;
    if (token.kind === "open") this.#openGroup();
    else if (token.kind === "close") this.#closeGroup();
    else if (token.kind === "control") this.#control(token.word, token.parameter);
  }

  /** Groups are open still. */
  get endsEarly(): boolean {
    return this.#groups.length > 0;
  }

  finish(): void {
    this.#decodeBytes();
    this.#endParagraph();
    this.#endTable();
    for (const [index, note] of this.#notes.entries())
      this.#out.paragraph(`[^${index + 1}]: ${note}`);
  }

  readonly #controls: Record<string, (parameter: number | null) => void> = {
    "*": () => {
      this.#isIgnorable = true;
    },
    ansicpg: (page) => {
      this.#encoding = encodingOfCodePage(page ?? 0);
    },
    mac: () => {
      this.#encoding = "macintosh";
    },
    f: (font) => {
      this.#group.font = font ?? 0;
      this.#definedFont = font ?? 0;
    },
    fcharset: (charset) => {
      const encoding = encodingOfCharset(charset ?? 0);
      if (encoding !== null) this.#fontEncodings.set(this.#definedFont, encoding);
    },
    uc: (count) => {
      this.#group.unicodeSkip = count ?? 1;
    },
    u: (code) => {
      const unit = (code ?? 0) < 0 ? (code ?? 0) + 0x10000 : (code ?? 0);
      this.#write(String.fromCharCode(unit));
      this.#skipBytes = this.#group.unicodeSkip;
    },
    v: (on) => {
      this.#group.isHidden = on !== 0;
    },
    deleted: (on) => {
      this.#group.isHidden = on !== 0;
    },
    plain: () => {
      this.#group.isHidden = false;
    },
    pard: () => {
      this.#paragraph = { level: 0, isInTable: false, marker: "" };
    },
    intbl: () => {
      this.#paragraph.isInTable = true;
    },
    s: (style) => {
      this.#definedStyle = style ?? 0;
      this.#paragraph.level = this.#styleLevels.get(style ?? 0) ?? this.#paragraph.level;
    },
    outlinelevel: (level) => {
      if (this.#group.destination === "text" && (level ?? 9) < 9) {
        this.#paragraph.level = (level ?? 0) + 1;
      }
    },
    ls: (list) => {
      if ((list ?? 0) > 0) this.#paragraph.marker ||= "-";
    },
    par: () => this.#endParagraph(),
    sect: () => this.#endParagraph(),
    page: () => {
      this.#endParagraph();
      this.#out.page(++this.#page);
    },
    cell: () => this.#endCell(),
    nestcell: () => this.#write(" "),
    row: () => this.#endRow(),
    fonttbl: () => this.#enter("fonts"),
    stylesheet: () => this.#enter("styles"),
    title: () => this.#enter("title"),
    listtext: () => this.#enter("list-text"),
    pntext: () => this.#enter("list-text"),
    footnote: () => {
      if (this.#group.destination !== "text") return;
      this.#notes.push("");
      this.#text += `[^${this.#notes.length}]`;
      this.#enter("note");
    },
  };

  #control(word: string, parameter: number | null): void {
    const symbol = SYMBOLS[word];
    const known = this.#controls[word];
    const wasIgnorable = this.#isIgnorable && word !== "*";
    if (wasIgnorable) this.#isIgnorable = false;
    if (SKIPPED.has(word) || (wasIgnorable && !READ_ALTHOUGH_IGNORABLE.has(word))) {
      this.#enter("skip");
    } else if (symbol !== undefined) this.#write(symbol);
    else if (this.#group.destination !== "skip" || word === "*") known?.(parameter);
  }

  #enter(destination: Group["destination"]): void {
    if (this.#group.destination !== "skip") this.#group.destination = destination;
  }

  #openGroup(): void {
    this.#groups.push({ ...this.#group });
    if (this.#groups.length > MAX_GROUPS) throw new UnreadableDocument("RTF nests too deeply");
  }

  #closeGroup(): void {
    const { destination } = this.#group;
    if (destination === "styles") this.#defineStyle();
    if (destination === "list-text") this.#startItem();
    if (destination === "title") this.title = foldSpace(this.#side);
    if (destination !== "text" && destination !== "note") this.#side = "";
    this.#group = this.#groups.pop() ?? this.#group;
    this.#isIgnorable = false;
  }

  /** `{\s1 … heading 1;}` inside the style sheet. */
  #defineStyle(): void {
    const level = /^heading (\d)/i.exec(this.#side.trim())?.[1];
    if (level !== undefined) this.#styleLevels.set(this.#definedStyle, Number(level));
    this.#definedStyle = 0;
  }

  /** The marker as the writer drew it, for readers that do not count. */
  #startItem(): void {
    const number = /(\d{1,4})[.)]/.exec(this.#side)?.[1];
    this.#paragraph.marker = number === undefined ? "-" : `${number}.`;
  }

  #acceptByte(value: number): void {
    if (this.#skipBytes > 0) {
      this.#skipBytes--;
      return;
    }
    const encoding = this.#fontEncodings.get(this.#group.font) ?? this.#encoding;
    if (encoding !== this.#bytesEncoding) this.#decodeBytes();
    this.#bytesEncoding = encoding;
    this.#bytes.push(value);
  }

  #decodeBytes(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes.splice(0));
    this.#write(new TextDecoder(this.#bytesEncoding).decode(bytes));
  }

  #write(text: string): void {
    const { destination, isHidden } = this.#group;
    if (destination === "skip" || destination === "fonts") return;
    if (isHidden) this.hiddenCharacters += text.length;
    else if (destination === "text") this.#text = longer(this.#text, text);
    else if (destination === "note") this.#notes.push((this.#notes.pop() ?? "") + text);
    else this.#side += text;
  }

  #endParagraph(): void {
    if (this.#group.destination === "note") {
      this.#write(" ");
      return;
    }
    if (this.#paragraph.isInTable) {
      this.#text += "\n";
      return;
    }
    this.#endTable();
    const text = this.#text;
    this.#text = "";
    if (foldSpace(text) === "") return;
    if (this.#paragraph.level > 0) this.#out.heading(this.#paragraph.level, text);
    else if (this.#paragraph.marker !== "") {
      this.#out.listItem(0, this.#paragraph.marker, text.replace(/^\s*[•·]\s*/, ""));
    } else this.#out.paragraph(text);
  }

  #endCell(): void {
    this.#row.push(this.#text);
    this.#text = "";
  }

  #endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
    this.#text = "";
  }

  #endTable(): void {
    if (this.#rows.length > 0) this.#out.table(this.#rows);
    this.#rows = [];
  }
}
