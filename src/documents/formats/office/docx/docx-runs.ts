/** `own`: as its properties say. `style`: as its character style says. Null: nothing of it. */
type Run = { own: boolean | null; style: boolean | null; isCounted: boolean };

/** Runs that are open, for text boxes stand inside of runs, and whether they are hidden. */
export class DocxRuns {
  /** That had text to hide. */
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

  setVanish(isHidden: boolean): void {
    const run = this.#open.at(-1);
    if (run !== undefined) run.own = isHidden;
  }

  setStyle(isHidden: boolean | null): void {
    const run = this.#open.at(-1);
    if (run !== undefined) run.style = isHidden;
  }

  /** Null: as its paragraph is. */
  get isHidden(): boolean | null {
    const run = this.#open.at(-1);
    return run?.own ?? run?.style ?? null;
  }

  /** Counts a run once, however often it had text. */
  countHidden(): void {
    const run = this.#open.at(-1);
    if (run === undefined || run.isCounted) return;
    run.isCounted = true;
    this.hidden++;
  }
}
