import { UnreadableDocument } from "./extracted-document.ts";

export type JsonToken =
  | { kind: "open"; bracket: "{" | "[" }
  | { kind: "close" }
  | { kind: "key"; text: string }
  | { kind: "value"; text: string; isString: boolean };

const BARE = /[^\s,:{}[\]"]+/y;
const SPACE_OR_COMMENT = /(?:[\s,]+|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;

const OPENING = { "}": "{", "]": "[" };

/**
 * Reads JSON (RFC 8259), and its dialects with comments and trailing commas, token by token, so
 * that memory does not grow with the tree. Several values after each other are read as well.
 * @throws UnreadableDocument for what is no JSON.
 */
export function* jsonTokens(text: string): Generator<JsonToken> {
  const stack: string[] = [];
  let at = afterSpace(text, 0);
  let afterColon = false;
  while (at < text.length) {
    const character = text[at];
    let token: JsonToken;
    if (character === "}" || character === "]") {
      if (stack.pop() !== OPENING[character]) throw notJson();
      token = { kind: "close" };
      at++;
    } else if (character === "{" || character === "[") {
      stack.push(character);
      token = { kind: "open", bracket: character };
      at++;
    } else {
      const raw = rawLiteral(text, at);
      at += raw.length;
      token = literal(raw, stack.at(-1) === "{" && !afterColon);
    }
    at = afterSpace(text, at);
    afterColon = text[at] === ":";
    if (afterColon !== (token.kind === "key")) throw notJson();
    at = afterColon ? afterSpace(text, at + 1) : at;
    yield token;
  }
  if (stack.length > 0) throw notJson();
}

function literal(raw: string, isKey: boolean): JsonToken {
  if (isKey) return { kind: "key", text: valueText(raw) };
  return { kind: "value", text: valueText(raw), isString: raw.startsWith('"') };
}

const notJson = () => new UnreadableDocument("JSON is damaged or incomplete");

function rawLiteral(text: string, at: number): string {
  const raw = text[at] === '"' ? rawString(text, at) : matchAt(BARE, text, at);
  if (raw === "") throw notJson();
  return raw;
}

/** With its quotes; empty when it does not end on its line. */
function rawString(text: string, at: number): string {
  const special = /["\\\n]/g;
  special.lastIndex = at + 1;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    if (found[0] === '"') return text.slice(at, special.lastIndex);
    if (found[0] === "\n") return "";
    special.lastIndex++;
  }
  return "";
}

const afterSpace = (text: string, at: number) => at + matchAt(SPACE_OR_COMMENT, text, at).length;

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
