import type { getDocumentProxy } from "unpdf";
import { foldSpace } from "../../../writing/fold-space.ts";
import { foldTitle } from "../bounds/document-shape.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type OutlineItem = { title: string; items: OutlineItem[] };

const MAX_BOOKMARK_LEVEL = 4;

/** Heading levels by the folded text of the document's bookmarks. */
export async function bookmarksOf(pdf: Pdf): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const outline = (await pdf.getOutline().catch(() => null)) as OutlineItem[] | null;
  const add = (items: OutlineItem[], level: number) => {
    for (const item of items) {
      const folded = foldTitle(item.title);
      if (folded !== "" && !found.has(folded)) found.set(folded, level);
      if (level < MAX_BOOKMARK_LEVEL) add(item.items, level + 1);
    }
  };
  add(outline ?? [], 1);
  return found;
}

const USELESS_TITLE =
  /^(microsoft (word|powerpoint)|untitled|.*\.(docx?|pptx?|xlsx?|indd|tex|dvi|ps|html?)$)/i;

export async function factsOf(
  pdf: Pdf,
): Promise<{ title: string | null; language: string | null }> {
  const metadata = await pdf.getMetadata().catch(() => null);
  const info: Record<string, unknown> = { ...metadata?.info };
  const raw = typeof info["Title"] === "string" ? foldSpace(info["Title"]) : "";
  const language = typeof info["Language"] === "string" ? info["Language"].trim() : "";
  const title = raw === "" || USELESS_TITLE.test(raw) ? null : raw;
  return { title, language: language === "" ? null : language };
}
