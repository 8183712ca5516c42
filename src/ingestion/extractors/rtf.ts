import type { ExtractedDocument } from "./extracted-document.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { RtfReader } from "./rtf/rtf-reader.ts";
import { rtfTokens } from "./rtf/rtf-tokens.ts";

/** Rich Text Format in any code page. */
export function extractRtf(bytes: Uint8Array): ExtractedDocument {
  const out = new MarkdownBuilder();
  out.page(1);
  const reader = new RtfReader(out);
  for (const token of rtfTokens(bytes)) reader.accept(token);
  reader.finish();
  const markdown = out.toString();
  const heading = /^# (.+)$/m.exec(markdown)?.[1] ?? null;
  const hidden = reader.hiddenCharacters;
  return {
    markdown,
    title: reader.title || heading,
    language: null,
    pages: out.pages.length > 1 ? out.pages : [],
    notes: hidden === 0 ? [] : [`${hidden} characters of hidden text removed`],
  };
}
