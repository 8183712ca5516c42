import { UnreadableDocument } from "./extracted-document.ts";

export type JsonToken =
  | { kind: "open"; bracket: "{" | "[" }
  | { kind: "close" }
  | { kind: "key"; text: string }
  | { kind: "value"; text: string; isString: boolean };

const BARE = /[^\s,:{}[\]"]+/y;
const SPACE = /[\s,]+/y;
const COMMENT_END = "*/";

const OPENING = { "}": "{", "]": "[" };

/**
 * Reads JSON (RFC 8259), and its dialects with comments and trailing commas, token by token, so
 * that memory does not grow with the tree. Several values after each other are read as well.
 * @param place how far it came, in characters
 * @throws UnreadableDocument for what is no JSON.
 */
export function* jsonTokens(text: string, place: { at: number }): Generator<JsonToken> {
  const stack: string[] = [];
  // Asked once: where no comment ends any more, each `/*` would be looked through to the end.
  const lastCommentEnd = text.lastIndexOf(COMMENT_END);
  const afterSpace = (from: number) => spaceEnd(text, from, lastCommentEnd);
  let at = afterSpace(0);
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
    at = afterSpace(at);
    afterColon = text[at] === ":";
    if (afterColon !== (token.kind === "key")) throw notJson();
    at = afterColon ? afterSpace(at + 1) : at;
    place.at = at;
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

/** Where white space, commas and comments end that begin at `from`. */
function spaceEnd(text: string, from: number, lastCommentEnd: number): number {
  let at = from;
  for (;;) {
    at += matchAt(SPACE, text, at).length;
    if (text.startsWith("//", at)) {
      const feed = text.indexOf("\n", at);
      at = feed < 0 ? text.length : feed;
    } else if (text.startsWith("/*", at) && lastCommentEnd >= at + 2) {
      at = text.indexOf(COMMENT_END, at + 2) + COMMENT_END.length;
    } else return at;
  }
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
