import { UnreadableDocument } from "../../extracted-document.ts";

export type JsonToken =
  | { kind: "open"; bracket: "{" | "[" }
  | { kind: "close" }
  | { kind: "key"; text: string }
  | { kind: "value"; text: string; isString: boolean };

const BARE = /[^\s,:{}[\]"]+/y;
const SPACE = /[\s,]+/y;

const OPENING = { "}": "{", "]": "[" };

/** `at`: how far it came, in characters. */
type Place = { at: number };

/**
 * Reads JSON (RFC 8259), also with trailing commas, token by token, so that memory does not grow
 * with the tree. Several values after each other are read as well.
 * @throws UnreadableDocument for what is no JSON.
 */
export function* jsonTokens(text: string, place: Place): Generator<JsonToken> {
  const stack: string[] = [];
  const skipSpace = () => {
    place.at += matchAt(SPACE, text, place.at).length;
  };
  let afterColon = false;
  skipSpace();
  while (place.at < text.length) {
    const character = text[place.at];
    let token: JsonToken;
    if (character === "}" || character === "]") {
      if (stack.pop() !== OPENING[character]) throw notJson();
      token = { kind: "close" };
      place.at++;
    } else if (character === "{" || character === "[") {
      stack.push(character);
      token = { kind: "open", bracket: character };
      place.at++;
    } else {
      const raw = rawLiteral(text, place.at);
      place.at += raw.length;
      const value = valueText(raw);
      const isKey: boolean = stack.at(-1) === "{" && !afterColon;
      token = isKey
        ? { kind: "key", text: value }
        : { kind: "value", text: value, isString: raw.startsWith('"') };
    }
    yield token;
    skipSpace();
    afterColon = text[place.at] === ":";
    if (afterColon !== (token.kind === "key")) throw notJson();
    if (!afterColon) continue;
    place.at++;
    skipSpace();
  }
  if (stack.length > 0) throw notJson();
}

const notJson = () => new UnreadableDocument("JSON is damaged or incomplete", "damaged");

function rawLiteral(text: string, at: number): string {
  const raw = text[at] === '"' ? rawString(text, at) : matchAt(BARE, text, at);
  if (raw === "") throw notJson();
  return raw;
}

/** With its quotes; empty when it does not end on its line. */
function rawString(text: string, at: number): string {
  const special = /["\\\n]/g;
  special.lastIndex = at + 1;
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    if (match[0] === '"') return text.slice(at, special.lastIndex);
    if (match[0] === "\n") return "";
    special.lastIndex++;
  }
  return "";
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function valueText(raw: string): string {
  if (!raw.startsWith('"')) return raw;
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1, -1);
  }
}
