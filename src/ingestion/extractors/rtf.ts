import { Progress } from "../../core/stretches.ts";
import type { Stretches } from "../../core/stretches.ts";
import type { Extraction } from "./extracted-document.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { ENDS_EARLY } from "./notes.ts";
import { RtfReader } from "./rtf/rtf-reader.ts";
import { rtfTokens } from "./rtf/rtf-tokens.ts";

/** Rich Text Format in any code page. */
export function* extractRtf(bytes: Uint8Array): Stretches<Extraction> {
  const out = new MarkdownBuilder();
  out.page(1);
  const reader = new RtfReader(out);
  const place = { at: 0 };
  const progress = new Progress();
  for (const token of rtfTokens(bytes, place)) {
    reader.accept(token);
    const stretch = progress.stretchTo(place.at);
    if (stretch > 0) yield stretch;
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
