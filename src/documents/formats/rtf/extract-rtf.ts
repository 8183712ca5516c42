import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { decodeAs } from "../../decoding/decode-as.ts";
import { firstBeyondAscii } from "../../decoding/detect-encoding.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { RtfReader } from "./rtf-reader.ts";
import { rtfTokens } from "./rtf-tokens.ts";

const BRACE = 0x7b;

export function* readBytes(file: Uint8Array): CooperativeWork<Extraction> {
  // Exporters put a byte-order mark or blank lines before the document.
  const bytes = file.subarray(Math.max(0, file.indexOf(BRACE)));
  const out = new MarkdownBuilder();
  out.page(1);
  const reader = new RtfReader(out, yield* isUtf8(bytes));
  const place = { at: 0 };
  const progress = new Progress();
  for (const token of rtfTokens(bytes, place)) {
    reader.accept(token);
    yield* progress.advanceTo(place.at);
  }
  reader.finish();
  const invisible = reader.hiddenCharacters;
  const notes = invisible === 0 ? [] : [`${invisible} characters of hidden text removed`];
  if (reader.endsEarly) notes.push(ENDS_EARLY);
  const pages = out.pages.length > 1 ? out.pages : [];
  return out.extraction({ title: reader.title || out.firstHeading(), pages, notes });
}

/** RTF is ASCII with escapes; bytes beyond ASCII in a code page are hardly ever valid UTF-8. */
function* isUtf8(bytes: Uint8Array): CooperativeWork<boolean> {
  const rest = bytes.subarray(firstBeyondAscii(bytes));
  return rest.length > 0 && (yield* decodeAs(rest, "utf-8")) !== null;
}
