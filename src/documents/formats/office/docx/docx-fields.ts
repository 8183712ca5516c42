/** A field that is open: its code is gathered before its result is shown. */
type Field = { code: string; isShown: boolean; isChecked: boolean; start: number; owner: unknown };

const MAX_CODE_CHARACTERS = 4_096;
/** Limit of nested fields: they stand in each other's codes and results. */
const MAX_OPEN = 100;
const CHECKED = "☒";
const UNCHECKED = "☐";

/** ECMA-376 part 1, §17.16.18: codes are left out, except links and check boxes. */
export class DocxFields {
  readonly #open: Field[] = [];
  #unshown = 0;
  /** Open fields beyond the limit; their content is read as text. */
  #beyond = 0;

  begin(): void {
    if (this.#open.length === MAX_OPEN) {
      this.#beyond++;
      return;
    }
    this.#unshown++;
    this.#open.push({ code: "", isShown: false, isChecked: false, start: 0, owner: null });
  }

  addCode(text: string): void {
    const field = this.#innermost;
    if (field !== undefined && field.code.length < MAX_CODE_CHARACTERS) field.code += text;
  }

  check(isChecked: boolean): void {
    const field = this.#innermost;
    if (field !== undefined) field.isChecked = isChecked;
  }

  /** Begins the field's result, at `start` in the text of the paragraph `owner`. */
  show(owner: unknown, start: number): void {
    const field = this.#innermost;
    if (field === undefined) return;
    if (!field.isShown) this.#unshown--;
    Object.assign(field, { isShown: true, owner, start });
  }

  /** What the field adds at its end: a link around the text from `start` on, or a mark. */
  end(owner: unknown): { target: string; start: number } | { mark: string } | null {
    if (this.#beyond > 0) {
      this.#beyond--;
      return null;
    }
    const field = this.#open.pop();
    if (field === undefined) return null;
    if (!field.isShown) this.#unshown--;
    if (/^\s*FORMCHECKBOX\b/.test(field.code))
      return { mark: field.isChecked ? CHECKED : UNCHECKED };
    const target = linkTargetOf(field.code);
    return field.isShown && field.owner === owner && target !== ""
      ? { target, start: field.start }
      : null;
  }

  /** Whether text belongs to a field's code, such as another field's result in a condition. */
  get hidesText(): boolean {
    return this.#unshown > 0;
  }

  /** A code that has not ended with its paragraph is never closed. */
  endParagraph(): void {
    this.#beyond = 0;
    while (this.#open.at(-1)?.isShown === false) {
      this.#open.pop();
      this.#unshown--;
    }
  }

  get #innermost(): Field | undefined {
    return this.#beyond > 0 ? undefined : this.#open.at(-1);
  }
}

/** Where `HYPERLINK "https://…"` leads; empty for other fields and for places in the document. */
export function linkTargetOf(code: string): string {
  return /^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]*)"/i.exec(code)?.[1]?.trim() ?? "";
}
