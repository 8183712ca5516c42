/** By its properties (`own`) or its character style; null: neither yes nor no. */
type Run = { own: boolean | null; style: boolean | null; isCounted: boolean };

export class DocxRuns {
  hidden = 0;
  readonly #open: Run[] = [];

  open(): void {
    this.#open.push({ own: null, style: null, isCounted: false });
  }

  close(): void {
    this.#open.pop();
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  change(change: Partial<Run>): void {
    Object.assign(this.#open.at(-1) ?? {}, change);
  }

  get isHidden(): boolean | null {
    const run = this.#open.at(-1);
    return run?.own ?? run?.style ?? null;
  }

  countHidden(): void {
    const run = this.#open.at(-1);
    if (run === undefined || run.isCounted) return;
    run.isCounted = true;
    this.hidden++;
  }
}
