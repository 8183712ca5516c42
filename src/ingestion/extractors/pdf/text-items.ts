import type { getDocumentProxy } from "unpdf";
import type { TextItem } from "./page-segments.ts";
import { ARTIFACT } from "./tagged-parts.ts";
import type { UnmappedFonts } from "./unmapped-fonts.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;
type Mark = { type: string; id?: string; tag?: string };
type TextPart = { items: (TextItem | Mark)[]; styles: Record<string, { ascent?: unknown }> };

/** Pieces of text; a dense page has some thousands. */
const MAX_ITEMS_A_PAGE = 200_000;

/** As they come, so that a page made to hold without end is left early. */
export async function textItems(
  page: PdfPage,
  includeMarkedContent: boolean,
  fonts: UnmappedFonts,
): Promise<TextItem[]> {
  const texts: TextItem[] = [];
  const marks: (string | undefined)[] = [];
  const options = { includeMarkedContent };
  const reader = page
    .streamTextContent(options)
    .getReader() as ReadableStreamDefaultReader<TextPart>;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    for (const [name, { ascent }] of Object.entries(part.value.styles)) fonts.learn(name, ascent);
    for (const item of part.value.items) {
      if ("str" in item) texts.push(includeMarkedContent ? { ...item, mark: marks.at(-1) } : item);
      else if (item.type === "endMarkedContent") marks.pop();
      else marks.push(item.id ?? (item.tag === ARTIFACT ? ARTIFACT : marks.at(-1)));
    }
    if (texts.length <= MAX_ITEMS_A_PAGE) continue;
    await reader.cancel(new Error("too many"));
    throw new Error("page holds too many pieces of text");
  }
  return texts;
}
