import { UnreadableDocument } from "../../extracted-document.ts";
import { decodeText } from "../../decoding/decode-text.ts";
import { addressParser, decodeWords, type Address } from "postal-mime";
import { foldSpace } from "../../writing/fold-space.ts";

const FIELD = /^([!-9;-~]+)[ \t]*:([^]*)$/;

/** The header fields of a message or of one of its parts (RFC 5322 §2.2), unfolded. */
export class MailHeaders {
  readonly #fields: { name: string; value: string }[] = [];

  constructor(block: Uint8Array) {
    // A line that begins with white space continues the field (RFC 5322 §2.2.3).
    const unfolded = textOfBlock(block).replace(/\r?\n(?=[ \t])/g, "");
    for (const line of unfolded.split(/\r?\n/)) {
      const [, name, value = ""] = FIELD.exec(line.replaceAll("\r", " ")) ?? [];
      if (name !== undefined) this.#fields.push({ name: name.toLowerCase(), value: value.trim() });
    }
  }

  /** All fields of a name in order; of a field that may occur only once, the first counts. */
  all(name: string): string[] {
    return this.#fields.filter((field) => field.name === name).map(({ value }) => value);
  }

  first(name: string): string | null {
    return this.all(name).find((value) => value !== "") ?? null;
  }
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

const MAX_FIELD_CHARACTERS = 1 << 16;

export function mailTitle(headers: MailHeaders): string | null {
  const subject = headers.first("subject")?.slice(0, MAX_FIELD_CHARACTERS) ?? "";
  return foldSpace(decodeWords(subject)) || null;
}

/** Who wrote to whom, and when. */
export function senderLines(headers: MailHeaders): string[] {
  const people = (label: string, values: (string | null)[]) => {
    const fields = values.join(", ").slice(0, MAX_FIELD_CHARACTERS);
    const shown = addressParser(fields)
      .map(addressText)
      .filter((text) => text !== "");
    return shown.length === 0 ? [] : [`${label}: ${shown.join(", ")}`];
  };
  const date = headers.first("date");
  return [
    // A second `From` field is not the sender's.
    ...people("From", [headers.first("from")]),
    ...people("To", headers.all("to")),
    ...people("Cc", headers.all("cc")),
    ...(date === null ? [] : [`Date: ${dateText(date)}`]),
  ];
}

function addressText({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(addressText).join(", ")};`;
  if (address === undefined || address === "") return name;
  return name === "" || name === address ? address : `${name} <${address}>`;
}

/** RFC 5322 §3.3, with the zones and years of §4.3; a comment may name the zone. */
const DATE =
  /^(?:[a-z]+\.?,?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\.?\s+(\d{4}|\d\d)\s+\d{1,2}:\d\d(?::\d\d)?\s*(?:[+-]\d{4}|UTC?|GMT|[ECMP][SD]T|Z)\s*(?:\([^()]*\)\s*)*$/i;

/** `Date` parses any text that contains a number, so other text stays unchanged. */
function dateText(field: string): string {
  const [, day = "", month = "", year = ""] = DATE.exec(field) ?? [];
  if (day === "") return field;
  const date = new Date(field);
  // A day that the month does not have, such as 31 April, is no date.
  const isDay = new Date(`${day} ${month} ${year} 00:00 UTC`).getUTCDate() === Number(day);
  return isDay && !Number.isNaN(date.getTime()) ? date.toISOString() : field;
}
