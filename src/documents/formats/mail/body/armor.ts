/** Reason for a message that only its receiver can read. */
export const ENCRYPTED = "message is encrypted";
/** Note where only a part is encrypted. */
export const ENCRYPTED_PART = "encrypted part left out";

const ARMOR = "-----BEGIN PGP ";
const MARK = /^-----(BEGIN|END) PGP (MESSAGE|SIGNED MESSAGE|SIGNATURE)-----[ \t]*$/gm;
/** The armour headers between the line that begins a signed text and the text. */
const HEADERS = /^\n(?:[\w-]+:[^\n]*\n)*[ \t]*(?:\n|$)/;
const MAX_HEADERS = 2_000;

/** The readable part of a text; `hasEncrypted`: an encrypted part was removed. */
export type OpenText = { text: string; hasEncrypted: boolean };

/**
 * A text without OpenPGP armour (RFC 9580 §6.2 and §7): signed text and the text around it stay,
 * signatures and encrypted data are removed.
 */
export function withoutArmor(text: string): OpenText {
  if (!text.includes(ARMOR)) return { text, hasEncrypted: false };
  const reader = new ArmorReader(text);
  for (const { 0: line, 1: edge, 2: what, index } of text.matchAll(MARK)) {
    reader.mark(`${edge} ${what}`, index, index + line.length);
  }
  return reader.end();
}

class ArmorReader {
  readonly #text: string;
  readonly #kept: string[] = [];
  #hasEncrypted = false;
  #inside: "plain" | "signed" | "signature" | "encrypted" = "plain";
  /** Where the text begins that is not kept yet. */
  #from = 0;
  /** Where the encrypted data begins. */
  #begin = 0;

  constructor(text: string) {
    this.#text = text;
  }

  mark(mark: string, start: number, end: number): void {
    const at = `${this.#inside}: ${mark}`;
    if (at === "plain: BEGIN SIGNED MESSAGE") this.#beginSigned(start, end);
    else if (at === "signed: BEGIN SIGNATURE") {
      this.#keepSigned(start);
      this.#inside = "signature";
    } else if (at === "signature: END SIGNATURE") this.#goOn(end);
    else if (at === "plain: BEGIN MESSAGE") {
      this.#begin = start;
      this.#inside = "encrypted";
    } else if (at === "encrypted: END MESSAGE") {
      this.#leaveOut();
      this.#goOn(end);
    }
  }

  end(): OpenText {
    if (this.#inside === "signed") this.#keepSigned(this.#text.length);
    // Encrypted data without an end reaches to the end of the text, unless prose only mentions it.
    else if (this.#inside === "encrypted" && !this.#hasWordsBefore()) this.#leaveOut();
    else if (this.#inside !== "signature") this.#keep(this.#text.length);
    return { text: this.#kept.join("\n"), hasEncrypted: this.#hasEncrypted };
  }

  #beginSigned(start: number, end: number): void {
    const headers = HEADERS.exec(this.#text.slice(end, end + MAX_HEADERS))?.[0];
    if (headers === undefined) return;
    this.#keep(start);
    this.#inside = "signed";
    this.#from = end + headers.length;
  }

  /** Signed lines that begin with a dash are escaped with another dash and a space. */
  #keepSigned(end: number): void {
    this.#kept.push(this.#text.slice(this.#from, end).replace(/^- (?=-|From )/gm, ""));
  }

  #leaveOut(): void {
    this.#keep(this.#begin);
    this.#hasEncrypted = true;
  }

  #keep(end: number): void {
    this.#kept.push(this.#text.slice(this.#from, end));
  }

  #goOn(end: number): void {
    this.#inside = "plain";
    this.#from = end;
  }

  #hasWordsBefore(): boolean {
    const before = [...this.#kept, this.#text.slice(this.#from, this.#begin)];
    return before.some((text) => /\S/.test(text));
  }
}
