import type { RtfFonts } from "./rtf-fonts.ts";

const RUN_BYTES = 1 << 16;

/** Bytes of one font that follow each other; characters may take several. */
export class RtfBytes {
  readonly #bytes = new Uint8Array(RUN_BYTES);
  #length = 0;
  /** A part of the run is decoded already, and may have ended within a character. */
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

  /** Writes what there is: the run is over. */
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
