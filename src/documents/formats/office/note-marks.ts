/** Numbers notes in the order of their references in the text. */
export class NoteMarks {
  readonly #numbers = new Map<string, number>();
  readonly #hidden = new Set<string>();

  mark(kind: string, id: string): string {
    const key = `${kind} ${id}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return `[^${number}]`;
  }

  hide(kind: string, id: string): void {
    this.#hidden.add(`${kind} ${id}`);
  }

  isHidden(kind: string, id: string): boolean {
    const key = `${kind} ${id}`;
    return this.#hidden.has(key) && !this.#numbers.has(key);
  }
}
