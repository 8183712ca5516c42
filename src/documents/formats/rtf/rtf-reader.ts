import { UnreadableDocument } from "../../extracted-document.ts";
import type { Omissions } from "../../notes.ts";
import { appendText } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { isLinkTarget, LinkedText } from "../../writing/link-text.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ownEntryOf } from "../archive/own-entry.ts";
import { linkTargetOf } from "../office/docx/docx-fields.ts";
import { headingLevelOf, TextStyles, type TextStyle } from "../office/text-styles.ts";
import { encodingOfCodePage, RtfFonts } from "./rtf-fonts.ts";
import { nameOfObject, MAX_OBJECT_DIGITS, type RtfToken } from "./rtf-tokens.ts";
import { READ_ALTHOUGH_IGNORABLE, SKIPPED, SYMBOLS } from "./rtf-tokens.ts";
import { BODY_TEXT, RtfWriter, type RtfParagraph } from "./rtf-writer.ts";

type Destination =
  | "text"
  | "skip"
  | "info"
  | "fonts"
  | "styles"
  | "title"
  | "list-text"
  | "note"
  | "object"
  | "field-code";

/** The state that a group inherits and restores at its end. */
const outermostGroup = () => ({
  destination: "text" as Destination,
  isHidden: false,
  height: 0,
  font: -1,
  /** Bytes to skip after `\u`. */
  unicodeSkip: 1,
  field: { code: "" },
});
type Group = ReturnType<typeof outermostGroup>;

/** Limit of nested groups; writers nest a few dozen at most. */
const MAX_GROUPS = 1_000;
const MAX_LEVEL = 8;
/** Word's number for "based on no style". */
const NO_STYLE = 222;
const nameOf = (text: string) => (text.split(";", 1)[0] ?? "").trim();

export class RtfReader {
  title = "";
  hiddenCharacters = 0;
  #group = outermostGroup();
  readonly #groups: Group[] = [];
  #isIgnorable = false;
  #isGroupStart = false;
  #hasEnded = false;
  #skipBytes = 0;
  readonly #text = new LinkedText();
  /** The open link and the depth of its group; links inside a link are ignored. */
  #link: { target: string; depth: number } | null = null;
  #paragraph: RtfParagraph = { ...BODY_TEXT };
  #side = "";
  #definedStyle = 0;
  #style: Partial<TextStyle> = {};
  readonly #fonts = new RtfFonts((text) => this.#write(text));
  readonly #styles = new TextStyles();
  readonly #writer: RtfWriter;
  readonly #leftOut: Omissions;

  /** `isUtf8`: unescaped text is UTF-8, as some writers produce it. */
  constructor(out: MarkdownBuilder, isUtf8: boolean) {
    this.#fonts.isUtf8 = isUtf8;
    this.#writer = new RtfWriter(this.#styles, out);
    this.#leftOut = out.leftOut;
  }

  accept(token: RtfToken): void {
    // Text after the document's last brace is not part of it.
    if (this.#hasEnded) return;
    const isFirst = this.#isGroupStart;
    this.#isGroupStart = token.kind === "open";
    if (token.kind === "byte") {
      if (this.#skipBytes > 0) this.#skipBytes--;
      else this.#fonts.add(token.value, this.#group.font, token.isRaw);
      return;
    }
    this.#fonts.endRun();
    this.#skipBytes = 0;
    if (token.kind === "open") this.#openGroup();
    else if (token.kind === "close") this.#closeGroup();
    else if (token.kind === "control") this.#control(token.word, token.parameter, isFirst);
  }

  get endsEarly(): boolean {
    return this.#groups.length > 0;
  }

  finish(): void {
    this.#fonts.endRun();
    this.#endParagraph();
    this.#writer.finish();
  }

  readonly #controls: Record<string, (parameter?: number) => void> = {
    ansicpg: (page = 0) => {
      this.#fonts.encoding = encodingOfCodePage(page);
    },
    mac: () => {
      this.#fonts.encoding = "macintosh";
    },
    deff: (font = 0) => {
      this.#fonts.defaultFont = font;
      this.#set({ font });
    },
    f: (font = 0) => {
      this.#set({ font });
      if (this.#group.destination === "fonts") this.#fonts.define(font);
    },
    fcharset: (charset = 0) => this.#fonts.setCharset(charset),
    cpg: (page = 0) => this.#fonts.setCodePage(page),
    uc: (unicodeSkip = 1) => this.#set({ unicodeSkip }),
    u: (code = 0) => {
      this.#write(this.#fonts.character(code < 0 ? code + 0x10000 : code, this.#group.font));
      this.#skipBytes = this.#group.unicodeSkip;
    },
    v: (on) => this.#set({ isHidden: on !== 0 }),
    deleted: (on) => this.#set({ isHidden: on !== 0 }),
    super: (on) => this.#set({ height: on === 0 ? 0 : 1 }),
    sub: (on) => this.#set({ height: on === 0 ? 0 : -1 }),
    nosupersub: () => this.#set({ height: 0 }),
    plain: () => this.#set({ isHidden: false, height: 0, font: this.#fonts.defaultFont }),
    // Its label may precede a paragraph's properties.
    pard: () => this.#change({ ...BODY_TEXT, label: this.#paragraph.label || null }),
    intbl: () => this.#change({ level: Math.max(1, this.#paragraph.level) }),
    itap: (level = 1) => this.#change({ level: Math.max(0, level) }),
    s: (style = 0) => {
      this.#change({ style });
      if (this.#group.destination === "styles") this.#definedStyle = style;
    },
    sbasedon: (style = NO_STYLE) => {
      this.#style.basedOn = style === NO_STYLE ? null : String(style);
    },
    outlinelevel: (outlineLevel = 0) => {
      if (this.#group.destination === "styles")
        this.#style.headingLevel = headingLevelOf(outlineLevel) ?? 0;
      this.#change({ outlineLevel });
    },
    ls: (list = 0) => {
      if (list > 0) this.#change({ label: this.#paragraph.label ?? "" });
    },
    ilvl: (level = 0) => this.#change({ depth: Math.min(Math.max(0, level), MAX_LEVEL) }),
    par: () => this.#endParagraph(),
    sect: () => this.#endParagraph(),
    column: () => this.#endParagraph(),
    page: () => {
      this.#endParagraph();
      this.#writer.nextPage();
    },
    cell: () => this.#endCell(1),
    nestcell: () => this.#endCell(Math.max(2, this.#paragraph.level)),
    trhdr: () => this.#writer.markHeader(),
    nestrow: () => this.#writer.endRow(Math.max(2, this.#paragraph.level)),
    row: () => this.#writer.endRow(1, this.#takeText()),
    fonttbl: () => this.#enter("fonts"),
    stylesheet: () => this.#enter("styles"),
    info: () => this.#enter("info"),
    objdata: () => this.#enter("object"),
    title: () => this.#enter("title"),
    listtext: () => this.#enter("list-text"),
    pntext: () => this.#enter("list-text"),
    field: () => this.#set({ field: { code: "" } }),
    fldinst: () => this.#enter("field-code"),
    fldrslt: () => {
      const target = linkTargetOf(this.#group.field.code);
      if (this.#group.destination !== "text" || this.#link !== null || !isLinkTarget(target))
        return;
      this.#link = { target, depth: this.#groups.length };
      this.#text.openLink(target);
    },
    footnote: () => {
      if (this.#group.destination !== "text") return;
      this.#text.add(this.#writer.openNote());
      this.#enter("note");
    },
  };

  #set(change: Partial<Group>): void {
    Object.assign(this.#group, change);
  }

  #control(word: string, parameter: number | undefined, isFirst: boolean): void {
    if (word === "*") {
      // The word counts only at the start of a group.
      this.#isIgnorable = isFirst;
      return;
    }
    const symbol = ownEntryOf(SYMBOLS, word);
    const wasIgnorable = this.#isIgnorable;
    this.#isIgnorable = false;
    if (SKIPPED.has(word) || (wasIgnorable && !READ_ALTHOUGH_IGNORABLE.has(word))) {
      this.#enter("skip");
    } else if (symbol !== undefined) this.#write(symbol);
    else if (this.#group.destination !== "skip") ownEntryOf(this.#controls, word)?.(parameter);
  }

  #enter(destination: Destination): void {
    if (this.#group.destination !== "skip") this.#group.destination = destination;
  }

  #change(change: Partial<RtfParagraph>): void {
    if (this.#group.destination === "text") Object.assign(this.#paragraph, change);
  }

  #openGroup(): void {
    this.#groups.push(this.#group);
    this.#group = { ...this.#group };
    if (this.#groups.length > MAX_GROUPS) throw new UnreadableDocument("RTF nests too deeply");
  }

  readonly #onEnd: Partial<Record<Destination, () => void>> = {
    styles: () => this.#defineStyle(),
    fonts: () => this.#fonts.setName(nameOf(this.#side)),
    "list-text": () => {
      // The list marker as the writer drew it, inside the paragraph that it marks.
      this.#paragraph.label = foldSpace(this.#side);
    },
    object: () => this.#leftOut.addFile(nameOfObject(this.#side)),
    title: () => {
      this.title ||= foldSpace(this.#side);
    },
  };

  #closeGroup(): void {
    const { destination } = this.#group;
    this.#onEnd[destination]?.();
    if (destination !== "text" && destination !== "note") this.#side = "";
    if (this.#link?.depth === this.#groups.length) {
      this.#text.closeLink();
      this.#link = null;
    }
    this.#hasEnded = this.#groups.length === 1;
    this.#group = this.#groups.pop() ?? this.#group;
    this.#isIgnorable = false;
  }

  #defineStyle(): void {
    this.#styles.define(String(this.#definedStyle), { ...this.#style, name: nameOf(this.#side) });
    this.#style = {};
    this.#definedStyle = 0;
  }

  #write(text: string): void {
    const { destination, isHidden, height, field } = this.#group;
    if (destination === "skip") return;
    if (destination === "object") this.#side = (this.#side + text).slice(0, MAX_OBJECT_DIGITS);
    else if (isHidden) this.hiddenCharacters += text.length;
    else if (destination === "text") this.#text.add(text, height);
    else if (destination === "note") this.#writer.addToNote(text, height);
    else if (destination === "field-code") field.code = appendText(field.code, text);
    else this.#side = appendText(this.#side, text);
  }

  /** The text of a paragraph or cell; a link that is open goes on in the next. */
  #takeText(): string {
    if (this.#link === null) return this.#text.take();
    this.#text.closeLink();
    const text = this.#text.take();
    this.#text.openLink(this.#link.target);
    return text;
  }

  #endCell(level: number): void {
    this.#endParagraph(level);
    this.#writer.endCell(level);
  }

  #endParagraph(level = this.#paragraph.level): void {
    if (this.#group.destination === "note") {
      this.#write(" ");
      return;
    }
    this.#writer.add({ ...this.#paragraph, level }, this.#takeText());
    // A marker belongs to one paragraph only.
    this.#paragraph.label &&= "";
  }
}
