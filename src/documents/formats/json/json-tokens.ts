import { UnreadableDocument } from "../../extracted-document.ts";

export type JsonToken =
  | { kind: "open"; bracket: "{" | "[" }
  | { kind: "close" }
  | { kind: "key"; text: string }
  | { kind: "value"; text: string; isString: boolean }
  | { kind: "comment"; text: string };

const BARE = /[^\s,:{}[\]"]+/y;
const SPACE = /[\s,]+/y;
/** What each line of a comment may begin with. */
const STARS = /^[ \t]*\*+/gm;
const COMMENT_END = "*/";
const MAX_COMMENT_CHARACTERS = 1 << 16;

const OPENING = { "}": "{", "]": "[" };

/** `at`: how far it came, in characters. */
type Place = { at: number };

/**
 * Reads JSON (RFC 8259), and its dialects with comments and trailing commas, token by token, so
 * that memory does not grow with the tree. Several values after each other are read as well.
 * @throws UnreadableDocument for what is no JSON.
 */
export function* jsonTokens(text: string, place: Place): Generator<JsonToken> {
  const stack: string[] = [];
  // Looked up once: without a comment end ahead, each `/*` would be searched to the end of the
  // text.
  const lastCommentEnd = text.lastIndexOf(COMMENT_END);
  const space = () => joined(comments(text, place, lastCommentEnd));
  let afterColon = false;
  yield* space();
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
      token = literal(raw, stack.at(-1) === "{" && !afterColon);
    }
    yield token;
    yield* space();
    afterColon = text[place.at] === ":";
    if (afterColon !== (token.kind === "key")) throw notJson();
    if (!afterColon) continue;
    place.at++;
    yield* space();
  }
  if (stack.length > 0) throw notJson();
}

function* joined(lines: Iterable<string>): Generator<JsonToken> {
  let text = "";
  for (const line of lines) {
    text += text === "" ? line : `\n${line}`;
    if (text.length < MAX_COMMENT_CHARACTERS) continue;
    yield { kind: "comment", text };
    text = "";
  }
  if (text !== "") yield { kind: "comment", text };
}

function literal(raw: string, isKey: boolean): JsonToken {
  if (isKey) return { kind: "key", text: valueText(raw) };
  return { kind: "value", text: valueText(raw), isString: raw.startsWith('"') };
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
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    if (found[0] === '"') return text.slice(at, special.lastIndex);
    if (found[0] === "\n") return "";
    special.lastIndex++;
  }
  return "";
}

function* comments(text: string, place: Place, lastCommentEnd: number): Generator<string> {
  for (;;) {
    place.at += matchAt(SPACE, text, place.at).length;
    const start = place.at + 2;
    let end: number;
    if (text.startsWith("//", place.at)) {
      const feed = text.indexOf("\n", start);
      place.at = end = feed < 0 ? text.length : feed;
    } else if (text.startsWith("/*", place.at) && lastCommentEnd >= start) {
      end = text.indexOf(COMMENT_END, start);
      place.at = end + COMMENT_END.length;
    } else return;
    const words = text.slice(start, end).replace(STARS, "").trim();
    if (words !== "") yield words;
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
