import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { replaceAll } from "../../decoding/decode-text.ts";
import type { Extraction, PageStart } from "../../extracted-document.ts";

const MAX_TITLE_CHARACTERS = 120;
/** With more form feeds, these do not mean pages; each page takes memory. */
const MAX_PAGES = 100_000;

/** Text as it stands. Form feeds divide pages. */
export function* readText(text: string): CooperativeWork<Extraction> {
  const pages = pagesOf(text);
  const markdown = yield* replaceAll({ text }, /\f/g, "\n");
  return { text: markdown, title: firstLineTitle(markdown), language: null, pages, notes: [] };
}

function pagesOf(text: string): PageStart[] {
  const pages: PageStart[] = [{ page: 1, start: 0 }];
  for (let at = text.indexOf("\f"); at >= 0; at = text.indexOf("\f", at + 1)) {
    pages.push({ page: pages.length + 1, start: at + 1 });
    if (pages.length > MAX_PAGES) return [];
  }
  return pages.length > 1 ? pages : [];
}

/** A short first line that stands alone and does not end like a sentence. */
function firstLineTitle(text: string): string | null {
  const match = /^\s*(\S[^\n]*)\n(?:[ \t]*\n|={3,}|-{3,})/.exec(
    text.slice(0, 4 * MAX_TITLE_CHARACTERS),
  );
  const line = match?.[1]?.trim() ?? "";
  const isTitle = line !== "" && line.length <= MAX_TITLE_CHARACTERS && !/[,;:]$/.test(line);
  return isTitle ? line.replace(/^#+\s+/, "") : null;
}
