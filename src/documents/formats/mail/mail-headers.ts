import { UnreadableDocument } from "../../extracted-document.ts";
import { decodeText } from "../../decoding/decode-text.ts";

const FIELD = /^([!-9;-~]+)[ \t]*:([^]*)$/;

/** The header fields of a message or of one of its parts (RFC 5322 §2.2), unfolded. */
export class MailHeaders {
  readonly #fields = new Map<string, string[]>();

  constructor(block: Uint8Array) {
    for (const line of unfolded(textOfBlock(block))) {
      const [, name = "", value = ""] = FIELD.exec(line) ?? [];
      const key = name.toLowerCase();
      if (key === "") continue;
      const values = this.#fields.get(key);
      if (values === undefined) this.#fields.set(key, [value.trim()]);
      else values.push(value.trim());
    }
  }

  /** All fields of a name in order; of a field that may occur only once, the first counts. */
  all(name: string): string[] {
    return this.#fields.get(name) ?? [];
  }

  first(name: string): string | null {
    return this.all(name).find((value) => value !== "") ?? null;
  }
}

/** A line that begins with white space continues the field (RFC 5322 §2.2.3). */
function unfolded(text: string): string[] {
  const fields: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) fields.at(-1)?.push(line);
    else fields.push([line]);
  }
  return fields.map((lines) => lines.join("").replaceAll("\r", " "));
}

/** Characters beyond ASCII should be encoded words, but often are raw bytes. */
function textOfBlock(block: Uint8Array): string {
  try {
    return decodeText(block, null).text;
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    return new TextDecoder("latin1").decode(block);
  }
}
