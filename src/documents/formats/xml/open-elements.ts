import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { attributeTexts, appendDetails } from "./attribute-texts.ts";
import type { Vocabulary, XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

export const MAX_INDENT = 12;

type Element = Vocabulary & { name: string; role: XmlRole };

export type Open = ReturnType<typeof openElement>;

/** @param textStart where it begins in the text gathered so far */
export function openElement(element: Element, attributes: XmlAttributes, textStart: number) {
  return {
    ...element,
    says: attributeTexts(element, attributes),
    href: attributes["href"] ?? attributes["url"] ?? attributes["target"] ?? "",
    language: /^[\w+#-]{1,20}$/.exec(attributes["language"] ?? "")?.[0] ?? "",
    textStart,
    isTitled: false,
    isShown: false,
    indent: 0,
  };
}

export class OpenElements {
  readonly #open: Open[] = [];
  readonly #out: MarkdownBuilder;
  /** How many are named, from the outermost: needed for each value that they contain. */
  #named = 0;
  #told = 0;
  #titled = 0;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  get innermost(): Open | null {
    return this.#open.at(-1) ?? null;
  }

  get holder(): Open | null {
    return this.#open.findLast(({ role }) => role !== "inline") ?? null;
  }

  push(open: Open): void {
    this.#open.push(open);
  }

  pop(): void {
    if (this.#open.pop()?.isTitled === true) this.#titled--;
    this.#named = Math.min(this.#named, this.#open.length);
    this.#told = Math.min(this.#told, this.#open.length);
  }

  findTitledElement(): Open | null {
    const at = this.#open.findLastIndex(
      ({ role }, place) => place < this.#open.length - 1 && role !== "inline" && role !== "wrapper",
    );
    return this.#open[at] ?? null;
  }

  /** A heading's level: the number of enclosing elements that have headings, too. */
  levelOfHeading(titled: Open | null): number {
    const own = [titled, this.innermost].filter((open) => open?.isTitled === true);
    return this.#titled - own.length + 1;
  }

  markTitled(titled: Open): void {
    if (titled.says.length > 0) this.nameParents();
    if (titled.isTitled) return;
    titled.isTitled = true;
    this.#titled++;
    // The contents of a titled element start with no indentation.
    this.#named = Math.min(this.#named, this.#open.lastIndexOf(titled));
  }

  nameParentsWithAttributes(): void {
    const untold = this.#open.slice(this.#told);
    this.#told = this.#open.length;
    if (untold.some(({ role, says }) => role === "field" && says.length > 0)) this.nameParents();
  }

  /** Names the elements around a field before their first field. Returns its depth in the list. */
  nameParents(field?: Open): number {
    const end = field === undefined ? this.#open.length : this.#open.lastIndexOf(field);
    const start = Math.min(this.#named, end);
    let indent = this.#open[start - 1]?.indent ?? 0;
    for (const [at, open] of this.#open.slice(start, end).entries()) {
      if (open.role === "field") {
        if (!open.isShown) this.#nameParent(open, start + at === 0, indent);
        if (open.isTitled) indent = 0;
        else if (open.isShown) indent++;
      }
      open.indent = indent;
    }
    this.#named = Math.max(this.#named, end);
    return Math.min(indent, MAX_INDENT);
  }

  /** The outermost element is not named: it contains everything. */
  #nameParent(open: Open, isOutermost: boolean, indent: number): void {
    const says = open.says.splice(0);
    if (isOutermost) for (const text of says) this.#out.listItem(0, "-", text);
    else if (says.length > 0 || !open.isTitled) {
      this.#out.listItem(Math.min(indent, MAX_INDENT), "-", `${appendDetails(open.name, says)}:`);
      open.isShown = true;
    }
  }
}
