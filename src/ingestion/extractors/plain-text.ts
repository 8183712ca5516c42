import type { Extraction, PageStart } from "./extracted-document.ts";

const TITLE_MAX_CHARACTERS = 120;

/** Text as it stands. Form feeds divide pages. */
export function extractPlainText(text: string): Extraction {
  const pages: PageStart[] = [];
  if (text.includes("\f")) {
    pages.push({ page: 1, start: 0 });
    for (let at = text.indexOf("\f"); at >= 0; at = text.indexOf("\f", at + 1)) {
      pages.push({ page: pages.length + 1, start: at + 1 });
    }
  }
  const markdown = text.replaceAll("\f", "\n");
  return { text: markdown, title: firstLineTitle(markdown), language: null, pages, notes: [] };
}

/** A short first line that stands alone and does not end like a sentence. */
function firstLineTitle(text: string): string | null {
  const match = /^\s*(\S[^\n]*)\n(?:[ \t]*\n|={3,}|-{3,})/.exec(
    text.slice(0, 4 * TITLE_MAX_CHARACTERS),
  );
  const line = match?.[1]?.trim() ?? "";
  const isTitle = line !== "" && line.length <= TITLE_MAX_CHARACTERS && !/[,;:]$/.test(line);
  return isTitle ? line.replace(/^#+\s+/, "") : null;
}
