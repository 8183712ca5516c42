import { isObject } from "../../../core/is-object.ts";
import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { textOf, UnreadableDocument, type Extraction } from "../../extracted-document.ts";
import { countNote } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { jsonTokens } from "../json/json-tokens.ts";
import { readText as readMarkdown } from "../markdown/extract-markdown.ts";
import { withoutComments } from "../markdown/markdown-comments.ts";
import { embeddedPage } from "../xml/embedded-html.ts";

/** Limit of one output: a table of some thousand rows. */
const MAX_OUTPUT_CHARACTERS = 1 << 18;
/** Limit of keys and values: each takes up to 75 bytes during parsing, plus its characters. */
const MAX_VALUES = 1_000_000;
const hasPicture = (data: unknown) => /\bimage\//.test(Object.keys(data ?? {}).join());
const STAND_IN = /^<[^<>\n]*>$/;

/**
 * Jupyter notebooks (nbformat 3 and 4, https://nbformat.readthedocs.io/en/latest/format_description.html):
 * text cells as Markdown, code cells as code with what they printed, gave and failed with.
 * @throws UnreadableDocument when it is no JSON or holds too many values.
 */
export function* readText(text: string): CooperativeWork<Extraction> {
  const notebook = yield* valueOf(text);
  const reader = new NotebookReader(notebook);
  for (const holder of [notebook, ...listAt(notebook, "worksheets")])
    for (const cell of listAt(holder, "cells")) yield* reader.add(cell);
  return reader.extraction();
}

/** The value of the notebook's JSON, with null for numbers and the like, but for levels. */
function* valueOf(text: string): CooperativeWork<unknown> {
  const place = { at: 0 };
  const progress = new Progress();
  const whole: unknown[] = [];
  const open: (unknown[] | Record<string, unknown>)[] = [whole];
  let [key, values] = ["", 0];
  for (const token of jsonTokens(text, place)) {
    yield* progress.advanceTo(place.at);
    const into = open.at(-1);
    if (token.kind === "close") open.pop();
    else if (++values > MAX_VALUES)
      throw new UnreadableDocument("notebook has too many values; clear its largest outputs");
    else if (token.kind === "key") key = token.text;
    else {
      const container = token.kind === "value" ? null : newContainer(token.bracket);
      const value = token.kind === "value" ? valueFor(token, key) : container;
      if (Array.isArray(into)) into.push(value);
      else if (into !== undefined) into[key] = value;
      if (container !== null) open.push(container);
    }
  }
  return whole[0];
}

/** Without a prototype, `__proto__` is a key like others. */
const newContainer = (bracket: "{" | "["): unknown[] | Record<string, unknown> =>
  bracket === "[" ? [] : Object.create(null);

const valueFor = ({ text, isString }: { text: string; isString: boolean }, key: string) =>
  isString || key === "level" ? text : null;

class NotebookReader {
  readonly #out = new MarkdownBuilder();
  #title: string | null = null;
  readonly #language: string;
  /** Early writers of nbformat 3 left the ends of lines out. */
  readonly #lineEnd: string;
  readonly #progress = new Progress();
  #cut = 0;

  constructor(notebook: unknown) {
    this.#language = wordAt(notebook, ["metadata", "kernelspec", "language"]) ?? "python";
    this.#lineEnd = fieldOf(notebook, "worksheets") === undefined ? "" : "\n";
  }

  extraction(): Extraction {
    const notes = countNote(this.#cut, "output", `cut at ${MAX_OUTPUT_CHARACTERS} characters`);
    return this.#out.extraction({ title: this.#title ?? this.#out.firstHeading(), notes });
  }

  *add(cell: unknown): CooperativeWork<void> {
    const type = wordAt(cell, ["cell_type"]);
    if (type === "code") {
      this.#out.code(this.#linesOf(cell, "source") || this.#linesOf(cell, "input"), this.#language);
      for (const output of listAt(cell, "outputs")) {
        yield* this.#addOutput(output);
        yield* this.#yieldProgress();
      }
    } else if (type === "heading")
      this.#out.heading(Number(wordAt(cell, ["level"])) || 1, this.#linesOf(cell, "source"));
    else yield* this.#addText(this.#linesOf(cell, "source"));
    yield* this.#yieldProgress();
  }

  #linesOf(value: unknown, key: string): string {
    return linesAt(value, key, this.#lineEnd);
  }

  *#yieldProgress(): CooperativeWork<void> {
    yield* this.#progress.advanceTo(this.#out.length);
  }

  *#addText(source: string): CooperativeWork<void> {
    const { markdown, comments } = yield* withoutComments(source);
    this.#out.leftOut.add("HTML comment", comments);
    const extraction = yield* readMarkdown(markdown);
    this.#title ??= extraction.title;
    this.#out.raw(textOf(extraction));
  }

  *#addOutput(output: unknown): CooperativeWork<void> {
    this.#out.code(
      this.#cutOutput(this.#linesOf(output, "text").split("\n").map(lastState).join("\n")),
    );
    yield* this.#addValue(fieldOf(output, "data"));
    const error = wordAt(output, ["ename"]);
    if (error !== null) this.#out.code(`${error}: ${wordAt(output, ["evalue"]) ?? ""}`);
  }

  /** As plain text, or what stands in for it: tables, too, have plain text. */
  *#addValue(data: unknown): CooperativeWork<void> {
    const [plain, markdown] = [linesAt(data, "text/plain"), linesAt(data, "text/markdown")];
    const html = linesAt(data, "text/html");
    if (plain.trim() !== "" && !STAND_IN.test(plain.trim())) this.#out.code(this.#cutOutput(plain));
    else if (markdown.trim() !== "") yield* this.#addText(this.#cutOutput(markdown));
    else {
      const latex = linesAt(data, "text/latex");
      if (html !== "") this.#out.raw(yield* embeddedPage(this.#cutOutput(html), this.#out.leftOut));
      this.#out.paragraph(this.#cutOutput(latex));
      if (html + latex === "" && !hasPicture(data)) this.#out.code(plain);
    }
  }

  #cutOutput(text: string): string {
    if (text.length <= MAX_OUTPUT_CHARACTERS) return text;
    this.#cut++;
    return text.slice(0, MAX_OUTPUT_CHARACTERS);
  }
}

/** A bar of progress writes its line again and again, each time behind a carriage return. */
const lastState = (line: string) => line.slice(line.trimEnd().lastIndexOf("\r") + 1).trimEnd();

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

function listAt(value: unknown, key: string): unknown[] {
  const list = fieldOf(value, key);
  return Array.isArray(list) ? list : [];
}

function wordAt(value: unknown, path: string[]): string | null {
  const parent = path.reduce(fieldOf, value);
  return typeof parent === "string" ? parent : null;
}

function linesAt(value: unknown, key: string, lineEnd = ""): string {
  const lines = fieldOf(value, key);
  if (typeof lines === "string") return lines;
  const texts = Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
  return texts.join(texts[0]?.endsWith("\n") === true ? "" : lineEnd);
}
