import { addressParser, decodeWords, type Address } from "postal-mime";

import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { decodeText, standardEncodingOf } from "../../decoding/decode-text.ts";
import { UnreadableDocument } from "../../extracted-document.ts";
import { foldSpace } from "../../writing/fold-space.ts";

const MAX_FIELD_CHARACTERS = 1 << 16;
const MAX_BLOCK_BYTES = 1 << 18;
const FIELD = /^([!-9;-~]+)[ \t]*:([^]*)$/;

/** The header fields of a message or of one of its parts (RFC 5322 §2.2), unfolded. */
export class MailHeaders {
  readonly #fields: { name: string; value: string }[] = [];

  constructor(block: string) {
    // A line that begins with white space continues the field (RFC 5322 §2.2.3).
    const unfolded = block.replace(/\r?\n(?=[ \t])/g, "");
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
export function* headersOf(whole: Uint8Array): CooperativeWork<MailHeaders> {
  const block = whole.subarray(0, MAX_BLOCK_BYTES);
  try {
    return new MailHeaders((yield* decodeText(block, null)).text);
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    return new MailHeaders(new TextDecoder("latin1").decode(block));
  }
}

export function mailTitle(headers: MailHeaders): string | null {
  const subject = headers.first("subject")?.slice(0, MAX_FIELD_CHARACTERS) ?? "";
  return foldSpace(decodeWords(subject)) || null;
}

export function senderLines(headers: MailHeaders): string[] {
  const peopleLine = (label: string, values: (string | null)[]) => {
    const fields = values.join(", ").slice(0, MAX_FIELD_CHARACTERS);
    const addresses = addressParser(fields)
      .map(addressText)
      .filter((text) => text !== "");
    return addresses.length === 0 ? [] : [`${label}: ${addresses.join(", ")}`];
  };
  const date = headers.first("date");
  return [
    // A second `From` field is not the sender's.
    ...peopleLine("From", [headers.first("from")]),
    ...peopleLine("To", headers.all("to")),
    ...peopleLine("Cc", headers.all("cc")),
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

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g;
/** A comment after the value, which may hold a semicolon. */
const COMMENT = /^([^;"(]*)\([^()]*\)/;
/** `filename*`, `filename*0`, `filename*0*` (RFC 2231 §3 and §4). */
const CONTINUED = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/;

/**
 * A field such as `text/plain; charset="utf-8"` (RFC 2045 §5.1, RFC 2231): its value in lower case,
 * and its parameters, of which the first of a name counts.
 */
export function parseStructured(field: string) {
  const text = field.slice(0, MAX_FIELD_CHARACTERS).replace(COMMENT, "$1");
  const parameters = new Map<string, string>();
  const sections: Section[] = [];
  for (const [, rawName = "", quoted, bare = ""] of text.matchAll(PARAMETER)) {
    const name = rawName.toLowerCase();
    const content = quoted === undefined ? bare.trim() : quoted.replace(/\\(["\\])/g, "$1");
    const [, base, number, star] = CONTINUED.exec(name) ?? [];
    if (base !== undefined) {
      const isEncoded = number === undefined || star === "*";
      sections.push({ base, at: Number(number ?? 0), text: content, isEncoded });
    } else if (!parameters.has(name)) parameters.set(name, decodeWords(content));
  }
  for (const [name, parts] of Map.groupBy(sections, ({ base }) => base)) {
    parameters.set(name, joinSections(parts));
  }
  const value = (text.split(";", 1)[0] ?? "").replaceAll('"', " ").trim().toLowerCase();
  return { value, parameters };
}

type Section = { base: string; at: number; text: string; isEncoded: boolean };

/** Joins a parameter's sections as bytes, because one character may be split between sections. */
function joinSections(sections: Section[]): string {
  let charset = "utf-8";
  let escaped = "";
  let last = -1;
  for (const { at, text, isEncoded } of sections.sort((a, b) => a.at - b.at)) {
    if (at === last) continue;
    last = at;
    const [, encoding, rest] =
      at === 0 && isEncoded ? (/^([^']*)'[^']*'([^]*)$/.exec(text) ?? []) : [];
    charset = encoding === undefined || encoding === "" ? charset : encoding;
    escaped += isEncoded ? (rest ?? text) : encodeURIComponent(text.toWellFormed());
  }
  const bytes = Array.from(escaped.matchAll(/%([0-9a-f]{2})|[^]/gi), ([character, code]) =>
    code === undefined ? character.charCodeAt(0) : Number.parseInt(code, 16),
  );
  return new TextDecoder(standardEncodingOf(charset) ?? "utf-8").decode(Uint8Array.from(bytes));
}
