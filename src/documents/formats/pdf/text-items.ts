import { ITEM_COST, type Pace } from "../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../extracted-document.ts";
import { OpenLayers, type HiddenLayers } from "./hidden-layers.ts";
import type { TextItem } from "./layout/segment.ts";
import type { PdfPage } from "./open-pdf.ts";
import { ARTIFACT } from "./structure/tagged-parts.ts";

type Mark = { type: string; id?: string; tag?: string; layer?: unknown };
type TextPart = { items: (TextItem | Mark)[] };

const MAX_ITEMS_A_PAGE = 200_000;
/** Chunks of about ten items; only forms, which may draw each other, send one each. */
const MAX_PARTS_A_PAGE = 25_000;

/** Reads items as they arrive, to abandon an endless page early. @throws UnreadableDocument */
export async function textItems(
  page: PdfPage,
  isTagged: boolean,
  hiddenLayers: HiddenLayers | null,
  pace: Pace,
): Promise<TextItem[]> {
  const includeMarkedContent = isTagged || hiddenLayers !== null;
  const stream: ReadableStream<TextPart> = page.streamTextContent({ includeMarkedContent });
  const reader = stream.getReader();
  const texts: TextItem[] = [];
  const marks: (string | undefined)[] = [];
  const layers = new OpenLayers(hiddenLayers);
  let parts = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts++;
      await pace.count(part.value.items.length * 2 * ITEM_COST);
      for (const item of part.value.items) {
        if ("str" in item) {
          if (hiddenLayers !== null && item.str.trim() !== "" && layers.isHidden()) continue;
          if (isTagged) item.mark = marks.at(-1);
          texts.push(item);
        } else followMark(item, marks, layers);
      }
      if (parts > MAX_PARTS_A_PAGE || texts.length > MAX_ITEMS_A_PAGE)
        throw new UnreadableDocument(`PDF's page ${page.pageNumber} has too many pieces of text`);
    }
    return texts;
  } finally {
    // Without this, pdf.js finishes reading this page before it releases the document.
    await reader.cancel(new Error("read")).catch(() => undefined);
  }
}

function followMark(mark: Mark, marks: (string | undefined)[], layers: OpenLayers): void {
  const { type, id, tag, layer } = mark;
  if (type === "endMarkedContent") {
    marks.pop();
    layers.end();
    return;
  }
  marks.push(id ?? (tag === ARTIFACT ? ARTIFACT : marks.at(-1)));
  layers.begin(layer);
}
