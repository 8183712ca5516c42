import type { RtfFonts } from "./rtf-fonts.ts";

const RUN_BYTES = 1 << 16;

/** Consecutive bytes in one font; a character may take several bytes. */
export class RtfBytes {
  readonly #bytes = new Uint8Array(RUN_BYTES);
  #length = 0;
  #isGoingOn = false;
  #font = -1;
  readonly #fonts: RtfFonts;
  readonly #write: (text: string) => void;

  constructor(fonts: RtfFonts, write: (text: string) => void) {
    this.#fonts = fonts;
    this.#write = write;
  }

  add(value: number, font: number): void {
    if (font !== this.#font) this.end();
    this.#font = font;
    this.#bytes[this.#length++] = value;
    if (this.#length === RUN_BYTES) this.#decode(true);
  }

  /** Writes the remaining bytes: the run is over. */
  end(): void {
    if (this.#length > 0 || this.#isGoingOn) this.#decode(false);
  }

  #decode(goesOn: boolean): void {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#isGoingOn = goesOn;
    this.#write(this.#fonts.decode(bytes, this.#font, goesOn));
  }
}
