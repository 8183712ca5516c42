import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { UnreadableDocument, type Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { extractSourceCode } from "../code/extract-source-code.ts";
import { jsonTokens } from "./json-tokens.ts";

const MAX_DEPTH = 1_000;
const PROSE_CHARACTERS = 200;
const TITLE_KEYS = new Set(["title", "name", "headline", "subject"]);

/**
 * Keeps a text that is not quite JSON as code. @throws UnreadableDocument when it nests too deeply
 */
export function* readText(text: string): CooperativeWork<Extraction> {
  const writer = new JsonWriter();
  try {
    yield* writer.write(text);
  } catch (error) {
    if (writer.isTooDeep || !(error instanceof UnreadableDocument)) throw error;
    const code = yield* extractSourceCode(text, "json");
    return writer.endsEarly(text) ? { ...code, notes: [ENDS_EARLY] } : code;
  }
  return writer.out.extraction({ title: writer.title });
}

/** Objects and arrays that are open. `indent`: how deep their values stand in the list. */
type Level = { isArray: boolean; label: string; indent: number };

const TOP_LEVEL: Level = { isArray: true, label: "", indent: 0 };

class JsonWriter {
  title: string | null = null;
  isTooDeep = false;
  readonly out = new MarkdownBuilder();
  readonly #place = { at: 0 };
  readonly #stack: Level[] = [];
  #shown = 0;
  #key = "";

  /** Whether what is no JSON is all that is left: white space, or a string that is not closed. */
  endsEarly(text: string): boolean {
    return /^\s*(?:"(?:[^"\\\n]|\\[^])*\\?)?$/.test(text.slice(this.#place.at));
  }

  *write(text: string): CooperativeWork<void> {
    const place = this.#place;
    const progress = new Progress();
    for (const token of jsonTokens(text, place)) {
      yield* progress.advanceTo(place.at);
      if (token.kind === "open") this.#open(token.bracket === "[");
      else if (token.kind === "close") this.#close();
      else if (token.kind === "key") this.#key = token.text;
      else this.#writeValue(token.text, token.isString);
    }
  }

  #open(isArray: boolean): void {
    const parent = this.#stack.at(-1);
    const label = parent === undefined || parent.isArray ? "" : this.#key;
    const indent = (parent?.indent ?? 0) + (label === "" ? 0 : 1);
    this.#stack.push({ isArray, label, indent });
    if (this.#stack.length <= MAX_DEPTH) return;
    this.isTooDeep = true;
    throw new UnreadableDocument("JSON nests too deeply");
  }

  #close(): void {
    const { label } = this.#stack.pop() ?? TOP_LEVEL;
    if (this.#shown > this.#stack.length) this.#shown = this.#stack.length;
    else this.#writeKey(label);
  }

  #writeValue(text: string, isString: boolean): void {
    const { isArray, indent } = this.#stack.at(-1) ?? TOP_LEVEL;
    const label = isArray ? "" : this.#key;
    if (text.trim() === "") {
      this.#writeKey(label);
      return;
    }
    this.#showParents();
    if (this.#stack.length === 1 && TITLE_KEYS.has(label.toLowerCase())) this.title ??= text;
    if (!isString || text.length < PROSE_CHARACTERS) {
      this.out.listItem(indent, "-", label === "" ? text : `${label}: ${text}`);
      return;
    }
    if (label !== "") this.out.listItem(indent, "-", `${label}:`);
    for (const paragraph of text.split(/\n\s*\n/)) this.out.paragraph(paragraph);
  }

  #writeKey(label: string): void {
    if (label.trim() === "") return;
    this.#showParents();
    this.out.listItem(this.#stack.at(-1)?.indent ?? 0, "-", label);
  }

  /** Objects and arrays show their label before their first value; entries begin a new list. */
  #showParents(): void {
    for (const level of this.#stack.slice(this.#shown)) {
      if (level.label !== "") this.out.listItem(level.indent - 1, "-", `${level.label}:`);
      else if (!level.isArray) this.out.endList();
    }
    this.#shown = this.#stack.length;
  }
}
