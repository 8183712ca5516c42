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
  const sections = new Map<string, Map<number, Section>>();
  for (const [, rawName = "", quoted, bare = ""] of text.matchAll(PARAMETER)) {
    const name = rawName.toLowerCase();
    const content = quoted === undefined ? bare.trim() : quoted.replace(/\\(["\\])/g, "$1");
    if (name.includes("*")) addSection(sections, name, content);
    else if (!parameters.has(name)) parameters.set(name, decodeWords(content));
  }
  for (const [name, of] of sections) parameters.set(name, joined(of));
  const value = (text.split(";", 1)[0] ?? "").trim().toLowerCase();
  return { value, parameters };
}

type Section = { text: string; isEncoded: boolean };

function addSection(sections: Map<string, Map<number, Section>>, name: string, text: string): void {
  const [, base = "", number, star] = CONTINUED.exec(name) ?? [];
  if (base === "") return;
  const of = sections.get(base) ?? new Map<number, Section>();
  sections.set(base, of);
  const at = Number(number ?? 0);
  if (!of.has(at)) of.set(at, { text, isEncoded: number === undefined || star === "*" });
}

/** Joins a parameter's sections as bytes, because one character may be split between sections. */
function joined(sections: Map<number, Section>): string {
  let charset = "utf-8";
  let escaped = "";
  for (const [at, { text, isEncoded }] of [...sections].sort(([left], [right]) => left - right)) {
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
