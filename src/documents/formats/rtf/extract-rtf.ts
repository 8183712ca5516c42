import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { RtfReader } from "./rtf-reader.ts";
import { rtfTokens } from "./rtf-tokens.ts";

const FIRST_BEYOND_ASCII = 0x80;
const STEP_BYTES = 1 << 16;

export function* readBytes(bytes: Uint8Array): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  out.page(1);
  const reader = new RtfReader(out, isUtf8(bytes));
  const place = { at: 0 };
  const progress = new Progress();
  for (const token of rtfTokens(bytes, place)) {
    reader.accept(token);
    yield* progress.advanceTo(place.at);
  }
  reader.finish();
  const hidden = reader.hiddenCharacters;
  return {
    text: out,
    title: reader.title || out.firstHeading(),
    language: null,
    pages: out.pages.length > 1 ? out.pages : [],
    notes: [
      ...(hidden === 0 ? [] : [`${hidden} characters of hidden text removed`]),
      ...(reader.endsEarly ? [ENDS_EARLY] : []),
    ],
  };
}

/** RTF is ASCII with escapes; bytes beyond ASCII in a code page are hardly ever valid UTF-8. */
function isUtf8(bytes: Uint8Array): boolean {
  let first = 0;
  while (first < bytes.length && (bytes[first] ?? 0) < FIRST_BEYOND_ASCII) first++;
  if (first === bytes.length) return false;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    for (let at = first; at < bytes.length; at += STEP_BYTES)
      decoder.decode(bytes.subarray(at, at + STEP_BYTES), { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}
