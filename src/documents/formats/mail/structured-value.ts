import { decodeWords } from "postal-mime";

/** A field such as `text/plain; charset="utf-8"`: its value in lower case, and its parameters. */
export type StructuredValue = { value: string; parameters: ReadonlyMap<string, string> };

const MAX_FIELD_CHARACTERS = 1 << 16;
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g;
/** A comment after the value, which may hold a semicolon. */
const COMMENT = /^([^;"(]*)\([^()]*\)/;
/** `filename*`, `filename*0`, `filename*0*` (RFC 2231 §3 and §4). */
const CONTINUED = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/;

/** Reads a header field's value and parameters (RFC 2045 §5.1, RFC 2231). The first of a name counts. */
export function parseStructured(field: string): StructuredValue {
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
  for (const [name, of] of Map.groupBy(sections, ({ base }) => base)) {
    parameters.set(name, joined(of));
  }
  const value = (text.split(";", 1)[0] ?? "").trim().toLowerCase();
  return { value, parameters };
}

type Section = { base: string; at: number; text: string; isEncoded: boolean };

/** Joins a parameter's sections as bytes, because one character may be split between sections. */
function joined(sections: Section[]): string {
  let charset = "utf-8";
  let escaped = "";
  let last = -1;
  for (const { at, text, isEncoded } of sections.sort((left, right) => left.at - right.at)) {
    if (at === last) continue;
    last = at;
    const [, named, rest] =
      at === 0 && isEncoded ? (/^([^']*)'[^']*'([^]*)$/.exec(text) ?? []) : [];
    charset = named === undefined || named === "" ? charset : named;
    escaped += isEncoded ? (rest ?? text) : encodeURIComponent(text.toWellFormed());
  }
  const bytes = Array.from(escaped.matchAll(/%([0-9a-f]{2})|[^]/gi), ([character, code]) =>
    code === undefined ? character.charCodeAt(0) : Number.parseInt(code, 16),
  );
  return decoderOf(charset).decode(Uint8Array.from(bytes));
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
