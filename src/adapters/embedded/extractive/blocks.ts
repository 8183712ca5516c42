import { trimEnd } from "../../../core/trim.ts";

/** What a passage consists of, in its order; `lines` are Markdown. */
export type Block =
  | { kind: "heading"; text: string }
  | { kind: "paragraph"; text: string; term: string }
  | { kind: "list"; items: Item[] }
  | { kind: "table"; rows: string[] }
  | { kind: "code"; text: string };

/** `mark`: its indentation and bullet or number; its paragraphs and commands are lines of their own. */
type Item = { mark: string; text: string };

const HEADING = /^\s{0,3}#{1,6}\s/;
const FENCE = /^\s{0,3}(```+|~~~+)/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const TABLE_ROW = /^\s*\|(.+)\|\s*$/;
const TABLE_RULE = /^\s*\|[\s:|-]+\|\s*$/;
/** Below a line that it makes a heading. */
const UNDERLINE = /^\s{0,3}(?:={3,}|-{3,})\s*$/;
/** Where the words between brackets lead to: for programs. */
const LINK_DEFINITION = /^\s{0,3}\[[^\]\n]{1,200}\]:\s*\S/;
/** A command as manual pages show it. */
const COMMAND = /^\s*\$ \S/;
/** A longer line is a sentence, not the term that a deeper paragraph below it explains. */
const TERM_LONGEST = 100;

/** Headings, paragraphs, lists, tables and code of Markdown or plain text. */
export function blocksOf(text: string): Block[] {
  const lines = marked(withoutFrontMatter(text.split(/\r?\n/)));
  const reader = new BlockReader(beginsInCode(lines));
  for (const line of lines) reader.read(line);
  return reader.blocks;
}

const MAX_FRONT_MATTER_LINES = 40;

/** Without the settings between two rules with which a page begins: they are for programs. */
function withoutFrontMatter(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (lines[first]?.trim() !== "---") return lines;
  const length = lines
    .slice(first + 1, first + MAX_FRONT_MATTER_LINES)
    .findIndex((line) => line.trim() === "---");
  const inside = lines.slice(first + 1, first + 1 + length);
  const isSettings = length > 0 && /^[\w-]+:(?:\s|$)/.test(inside[0] ?? "");
  return isSettings ? lines.slice(first + length + 2) : lines;
}

/** `1. Safety` above a paragraph, and the title of a section of a manual page. */
const NUMBERED_TITLE = /^\d{1,3}(?:\.\d{1,3}){0,3}[.)]? \p{Lu}[^.:;!?,|]{1,38}$/u;
const MANUAL_TITLE = /^[A-Z][A-Z0-9 /,-]{2,40}$/;
const NO_BLOCK = /^\p{Lu}/u;
/** `Weight: 4.2 kg` */
const LABELLED_LINE = /^\p{L}[^:.!?|<>]{1,38}: [^\s].{0,100}$/u;
const MIN_LABELLED = 3;

/** Plain text with its titles and its lines of labels and values marked as Markdown would. */
function marked(lines: string[]): string[] {
  if (lines.some((line) => FENCE.test(line))) return lines;
  const isLabelled = lines.map((line) => LABELLED_LINE.test(line));
  let run = 0;
  const runs = isLabelled.map((is) => (run = is ? run + 1 : 0));
  // From the end, so that each line of a run knows the length of the whole run.
  for (let at = runs.length - 2; at >= 0; at--) {
    if ((runs[at] ?? 0) > 0) runs[at] = Math.max(runs[at] ?? 0, runs[at + 1] ?? 0);
  }
  return lines.map((line, at) => {
    if ((runs[at] ?? 0) >= MIN_LABELLED) return `- ${line}`;
    const [before = "", after = ""] = [lines[at - 1], lines[at + 1]];
    const isTitle = NUMBERED_TITLE.test(line) && before.trim() === "" && NO_BLOCK.test(after);
    return isTitle || (MANUAL_TITLE.test(line) && /^ {2,}\S/.test(after)) ? `## ${line}` : line;
  });
}

/** Whether a passage was cut from the middle of a block of code, whose beginning it lacks. */
function beginsInCode(lines: string[]): boolean {
  const end = lines.findIndex((line) => FENCE.test(line));
  if (end !== -1 && !/^\s*[`~]+\s*$/.test(lines[end] ?? "")) return false;
  const before = (end === -1 ? lines : lines.slice(0, end)).filter((line) => line.trim() !== "");
  const code = before.filter(isCodeLine);
  return code.length > 0 && code.length >= before.length * MIN_CODE_LINES;
}

/** The share of the lines of code that are known as such. */
const MIN_CODE_LINES = 0.4;

/** A comment or the end of a block, as prose has none. */
const CODE_LINE = /^\s*\/\/\s|[{}](?: +\/\/[^]*)?$/;
/** Clauses of a contract end so, too; a statement also assigns, calls or closes something. */
const SEMICOLON = /;(?: +\/\/[^]*)?$/;
const STATEMENT = /=|[\w$][([]|^\s*[)}\]]/;

const isCodeLine = (line: string) =>
  CODE_LINE.test(line) || (SEMICOLON.test(line) && STATEMENT.test(line));

class BlockReader {
  readonly blocks: Block[] = [];
  /** The lines of the paragraph that is open. */
  #paragraph: string[] = [];
  #paragraphBlock: (Block & { kind: "paragraph" }) | null = null;
  /** The list whose last item takes the lines that follow. */
  #list: (Block & { kind: "list" }) | null = null;
  #isItemOpen = false;
  #itemDepth = 0;
  #table: { block: Block & { kind: "table" }; columns: string[] } | null = null;
  #code: { block: Block & { kind: "code" }; fence: string } | null = null;
  /** The lines of commands that are open. */
  #commands: (Block & { kind: "code" }) | null = null;

  constructor(isInCode: boolean) {
    if (isInCode) this.#startCode("");
  }

  read(line: string): void {
    if (this.#readsCode(line) || this.#readsRow(line) || this.#readsCommand(line)) return;
    if (this.#readsLinkDefinition(line) || this.#readsUnderline(line)) return;
    const item = LIST_ITEM.exec(line)?.[0];
    if (item !== undefined) this.#startItem(item, line);
    else if (line.trim() === "") this.#closeText();
    else if (HEADING.test(line)) this.#addHeading(line);
    else this.#addText(line);
  }

  #readsCode(line: string): boolean {
    const fence = FENCE.exec(line)?.[1];
    if (this.#code !== null) {
      if (fence?.startsWith(this.#code.fence) === true) this.#code = null;
      else this.#code.block.text += this.#code.block.text === "" ? line : `\n${line}`;
      return true;
    }
    if (fence === undefined) return false;
    this.#closeAll();
    this.#startCode(fence);
    return true;
  }

  #startCode(fence: string): void {
    const block = { kind: "code" as const, text: "" };
    this.blocks.push(block);
    this.#code = { block, fence };
  }

  #readsCommand(line: string): boolean {
    if (this.#commands !== null && line.trim() !== "") {
      this.#commands.text += `\n${line.trim()}`;
      return true;
    }
    this.#commands = null;
    if (!COMMAND.test(line) || this.#paragraphBlock !== null || this.#isInItem(line)) return false;
    this.#commands = { kind: "code", text: line.trim() };
    this.blocks.push(this.#commands);
    return true;
  }

  /** Within a paragraph it is text (CommonMark 0.31, §4.7). */
  #readsLinkDefinition = (line: string): boolean =>
    this.#paragraphBlock === null && !this.#isItemOpen && LINK_DEFINITION.test(line);

  #readsUnderline(line: string): boolean {
    const [title, more] = this.#paragraph;
    if (this.#paragraphBlock === null || title === undefined || more !== undefined) return false;
    if (!UNDERLINE.test(line) || title.length > TERM_LONGEST) return false;
    this.blocks.pop();
    this.#addHeading(title);
    return true;
  }

  #readsRow(line: string): boolean {
    const row = TABLE_ROW.exec(line)?.[1];
    if (row === undefined) {
      this.#table = null;
      return false;
    }
    this.#paragraphBlock = null;
    this.#list = null;
    if (TABLE_RULE.test(line)) return true;
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
    if (this.#table === null) {
      const block = { kind: "table" as const, rows: [] };
      this.blocks.push(block);
      this.#table = { block, columns: cells };
    } else this.#table.block.rows.push(rowText(this.#table.columns, cells));
    return true;
  }

  #startItem(mark: string, line: string): void {
    this.#paragraphBlock = null;
    if (this.#list === null) {
      this.#list = { kind: "list", items: [] };
      this.blocks.push(this.#list);
    }
    const bullet = mark.trimEnd().replace(/[*+•]$/, "-");
    this.#list.items.push({ mark: `${bullet} `, text: line.slice(mark.length) });
    this.#isItemOpen = true;
    this.#itemDepth = mark.trimEnd().length;
  }

  #addHeading(line: string): void {
    this.#closeAll();
    const text = trimEnd(line.replace(HEADING, "").trim(), "#").trimEnd();
    this.blocks.push({ kind: "heading", text });
  }

  #addText(line: string): void {
    const item = this.#list?.items.at(-1);
    if (item !== undefined && this.#isInItem(line)) {
      const isNew = !this.#isItemOpen || COMMAND.test(line);
      item.text += `${isNew ? "\n" : " "}${line.trim()}`;
      this.#isItemOpen = true;
      return;
    }
    this.#list = null;
    if (this.#paragraphBlock === null) {
      this.#paragraphBlock = { kind: "paragraph", text: "", term: "" };
      this.#paragraph = [];
      this.blocks.push(this.#paragraphBlock);
    }
    const [first, second] = this.#paragraph;
    if (first !== undefined && second === undefined && explains(line, first)) {
      this.#paragraphBlock.term = first.trim();
      this.#paragraphBlock.text = line.trim();
    } else {
      const before = this.#paragraphBlock.text;
      this.#paragraphBlock.text = before === "" ? line.trim() : `${before} ${line.trim()}`;
    }
    this.#paragraph.push(line);
  }

  /** A list goes on over blank lines, where an item or a deeper line follows. */
  #closeText(): void {
    this.#paragraphBlock = null;
    this.#isItemOpen = false;
  }

  #isInItem = (line: string): boolean =>
    this.#list !== null && (this.#isItemOpen || depthOf(line) >= this.#itemDepth);

  #closeAll(): void {
    this.#closeText();
    this.#commands = null;
    this.#list = null;
    this.#table = null;
  }
}

/** Whether a paragraph's second line explains its first, as the options of manual pages do. */
function explains(line: string, first: string): boolean {
  return first.length <= TERM_LONGEST && depthOf(line) >= depthOf(first) + 2;
}

const depthOf = (line: string) => line.length - line.trimStart().length;

/** `Grade: B; Days: 30` for a row below `| Grade | Days |`. */
function rowText(columns: string[], cells: string[]): string {
  const named = cells.flatMap((cell, at) => {
    const column = columns[at] ?? "";
    if (cell === "") return [];
    return [column === "" ? cell : `${column}: ${cell}`];
  });
  return named.join("; ");
}

const LINK = /!?\[[^[\]]{1,500}\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\])/g;
const LINK_WITHIN = /\[[^[\]]{1,500}\]\(#[^)]{0,1000}\)/;

/** Text that leads elsewhere and says nothing itself: to another place of the document, or page. */
export function leadsTo(markdown: string): "place" | "page" | null {
  const rest = markdown.replace(LINK, "");
  if (rest.length === markdown.length || /[\p{L}\p{N}]/u.test(rest)) return null;
  return LINK_WITHIN.test(markdown) ? "place" : "page";
}

const CODE_SPAN = /(`[^`\n]{1,500}`)/;

/** Without Markdown's emphasis, links and quotes; code stays as it is written. */
export function plainText(markdown: string): string {
  const parts = markdown.split(CODE_SPAN).map((part, at) => (at % 2 === 1 ? part : plain(part)));
  return parts.join("").replace(/\s+/gu, " ").trim();
}

/** A picture that is a link says what its address says: nothing. */
const BADGE =
  /\[!\[[^[\]]{0,200}\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\])\](?:\([^)]{0,1000}\)|\[[^[\]]{0,200}\])/g;

/** Comments, rules and tags of HTML that lay a page out; words in angle brackets are kept. */
const LAYOUT =
  /<!--[^>]{0,500}-->|<\/?(?:a|b|br|center|code|details|div|em|font|h[1-6]|hr|i|img|kbd|li|ol|p|picture|pre|source|span|strong|su[bp]|summary|t[dhr]|table|tbody|thead|ul|video)(?=[\s/>])[^<>]{0,500}>|[-=*_]{8,}/gi;

const plain = (text: string) =>
  text
    .replace(BADGE, "")
    .replace(LAYOUT, " ")
    .replace(/!?\[([^[\]]+)\]\[[^[\]]{0,200}\]/g, "$1")
    .replace(/!?\[([^[\]]*)\]\([^)]{0,1000}\)/g, "$1")
    .replaceAll("**", "")
    .replace(/(?<![\p{L}\p{N}_])_([^_]{1,500})_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(^|\s)\*(\S[^*]*)\*/g, "$1$2")
    .replace(/^\s*>+\s?/, "");
