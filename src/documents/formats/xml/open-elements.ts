import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { withMore } from "./attribute-texts.ts";
import type { Open } from "./open-element.ts";

export const MAX_INDENT = 12;

/** The elements that are open, and how far those that are records have been named in the list. */
export class OpenElements {
  readonly #open: Open[] = [];
  readonly #out: MarkdownBuilder;
  /** How many, counted from the outermost, are named: asked for each value that they hold. */
  #named = 0;
  /** How many have no attributes left to tell. */
  #told = 0;
  /** How many have a heading of their own. */
  #titled = 0;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  get innermost(): Open | null {
    return this.#open.at(-1) ?? null;
  }

  /** What the text holds that comes now. */
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

  /** What a heading is the heading of. */
  titledByHeading(): Open | null {
    const at = this.#open.findLastIndex(
      ({ role }, place) => place < this.#open.length - 1 && role !== "inline" && role !== "wrapper",
    );
    return this.#open[at] ?? null;
  }

  /** A heading's level: how many of the elements around it have a heading as well. */
  levelOfHeading(titled: Open | null): number {
    const own = [titled, this.innermost].filter((open) => open?.isTitled === true);
    return this.#titled - own.length + 1;
  }

  setTitled(titled: Open): void {
    if (titled.says.length > 0) this.nameParents();
    if (titled.isTitled) return;
    titled.isTitled = true;
    this.#titled++;
    // What stands in it is indented anew.
    this.#named = Math.min(this.#named, this.#open.lastIndexOf(titled));
  }

  /** What the attributes of the elements around say stands before what these hold. */
  tellParents(): void {
    const untold = this.#open.slice(this.#told);
    this.#told = this.#open.length;
    if (untold.some(({ role, says }) => role === "field" && says.length > 0)) this.nameParents();
  }

  /**
   * Names the elements around a field before their first one; those with a heading of their own
   * need none. Returns how deep the field stands in the list.
   */
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

  /** The outermost element needs no name: everything stands in it. */
  #nameParent(open: Open, isOutermost: boolean, indent: number): void {
    const says = open.says.splice(0);
    if (isOutermost) for (const text of says) this.#out.listItem(0, "-", text);
    else if (says.length > 0 || !open.isTitled) {
      this.#out.listItem(Math.min(indent, MAX_INDENT), "-", `${withMore(open.name, says)}:`);
      open.isShown = true;
    }
  }
}
