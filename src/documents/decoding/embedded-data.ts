import type { CooperativeWork } from "../../core/work/cooperative.ts";
import { CompactText } from "../writing/compact-text.ts";

/** Ends the head of an address that is a file itself: https://www.rfc-editor.org/rfc/rfc2397 */
const MARK = ";base64,";
/** JSON may escape its slashes. */
const BYTES = /^(?:[\w+/=%-]|\\\/)*/;
const LOOKED_AT = 1 << 13;
/** Fewer characters are an example in a text about such addresses. */
const MIN_BYTES = 100;

/**
 * Such addresses without their bytes: of a picture in a Markdown file, which is how Google exports a
 * document, they would make a thousand passages.
 */
export function* withoutEmbeddedData(text: string): CooperativeWork<string> {
  if (!text.includes(MARK)) return text;
  const result = new CompactText();
  let from = 0;
  for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + MARK.length)) {
    let end = at + MARK.length;
    for (let part = " "; part !== ""; end += part.length) {
      part = BYTES.exec(text.slice(end, end + LOOKED_AT))?.[0] ?? "";
      yield part.length;
    }
    if (end - at < MIN_BYTES) continue;
    result.append(text.slice(from, at));
    from = end;
  }
  result.append(text.slice(from));
  return result.take();
}
