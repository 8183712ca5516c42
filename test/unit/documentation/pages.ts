import { readdirSync, readFileSync } from "node:fs";

/** A page of the documentation: README.md, or one in docs/. */
export type Page = { path: string; text: string };

export function readPage(path: string): Page {
  return { path, text: readFileSync(path, "utf8") };
}

export function allPages(): Page[] {
  const inDocs = readdirSync("docs").filter((name) => name.endsWith(".md"));
  return [readPage("README.md"), ...inDocs.map((name) => readPage(`docs/${name}`))];
}

/** The text without its fenced blocks, whose lines are no headings and no links. */
const withoutCode = ({ text }: Page) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");

/** Rows of a page's tables with another number of cells than the head of their table. */
export function unevenRows(page: Page): string[] {
  const tables = withoutCode(page).match(/^\|.*(?:\n\|.*)*/gm) ?? [];
  return tables.flatMap((table) => {
    const [head = "", ...rows] = table.split("\n");
    return rows
      .filter((row) => cellsOf(row) !== cellsOf(head))
      .map((row) => `${page.path}: ${row}`);
  });
}

const cellsOf = (row: string) => row.replaceAll("\\|", "").split("|").length;

/** Anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: Page): Set<string> {
  const headings = [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(
    ([, words = ""]) => words,
  );
  return new Set(
    headings.map((words) =>
      words
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Links that lead to a place in this repository, without those to other hosts. */
export function relativeLinks(page: Page): string[] {
  const targets = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);
  return targets.filter((to) => !/^[a-z]+:/.test(to));
}
