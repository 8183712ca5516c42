type Field = { code: string; isShown: boolean; isChecked: boolean; start: number; owner: unknown };

const MAX_CODE_CHARACTERS = 4_096;
/** Limit of open fields; the outermost is forgotten, as one that has no end. */
const MAX_OPEN = 100;
const MAX_ENTRIES = 100;
const CHECKED = "☒";
const UNCHECKED = "☐";

/** ECMA-376 part 1, §17.16.18: codes are left out, except links, check boxes and lists. */
export class DocxFields {
  readonly #open: Field[] = [];
  /** The list of a form that was read last, and which of its entries it shows. */
  #entries: string[] = [];
  #choice: number | null = null;

  begin(): void {
    if (this.#open.length === MAX_OPEN) this.#open.shift();
    [this.#entries, this.#choice] = [[], null];
    this.#open.push({ code: "", isShown: false, isChecked: false, start: 0, owner: null });
  }

  addCode(text: string): void {
    const field = this.#open.at(-1);
    if (field !== undefined && field.code.length < MAX_CODE_CHARACTERS) field.code += text;
  }

  check(isChecked: boolean): void {
    Object.assign(this.#open.at(-1) ?? {}, { isChecked });
  }

  /** The user's choice stands before the one that the form begins with. */
  choose(choice: number): void {
    this.#choice ??= choice;
  }

  addEntry(text: string): void {
    if (this.#entries.length < MAX_ENTRIES) this.#entries.push(text);
  }

  /** Begins the field's result, at `start` in the text of the paragraph `owner`. */
  show(owner: unknown, start: number): void {
    Object.assign(this.#open.at(-1) ?? {}, { isShown: true, owner, start });
  }

  /** The addition at the end of a field: a link around the text from `start` on, or a mark. */
  end(owner: unknown): { target: string; start: number } | { mark: string } | null {
    const field = this.#open.pop();
    if (field === undefined) return null;
    if (/^\s*FORMCHECKBOX\b/.test(field.code))
      return { mark: field.isChecked ? CHECKED : UNCHECKED };
    if (/^\s*FORMDROPDOWN\b/.test(field.code))
      return { mark: this.#entries[this.#choice ?? 0] ?? "" };
    const target = linkTargetOf(field.code);
    return field.isShown && field.owner === owner && target !== ""
      ? { target, start: field.start }
      : null;
  }

  /** Whether text belongs to a field's code, such as another field's result in a condition. */
  get hidesText(): boolean {
    return this.#open.some(({ isShown }) => !isShown);
  }

  /** A code that has not ended with its paragraph is never closed. */
  endParagraph(): void {
    while (this.#open.at(-1)?.isShown === false) this.#open.pop();
  }
}

/** Where `HYPERLINK "https://…"` leads; empty for other fields and for places in the document. */
export function linkTargetOf(code: string): string {
  return /^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]*)"/i.exec(code)?.[1]?.trim() ?? "";
}
