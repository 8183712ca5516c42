import type { Step } from "../source/random-schedules.ts";
import { block, type Entry } from "./entries.ts";
import type { NotionDouble } from "./notion-double.ts";

/** A page that no step changes: an empty workspace is told as an error. */
export const UNTOUCHED = "Untouched";

/** Pages that a connection should find, with their paths and the words of their text. */
export function currentPages(notion: NotionDouble): Map<string, [path: string, words: string]> {
  const isLeft = (id: string | null): boolean => {
    const entry = id === null ? undefined : notion.entries.get(id);
    return entry !== undefined && (entry.isArchived || entry.inTrash || isLeft(entry.parent));
  };
  const folderOf = (id: string | null): string => {
    const entry = id === null || notion.hiddenBlocks.has(id) ? undefined : notion.entries.get(id);
    if (entry === undefined) return "";
    return folderOf(entry.parent) + (entry.kind === "database" ? "" : `${entry.title}/`);
  };
  const pages = [...notion.entries.values()].filter(
    ({ kind, id }) => kind === "page" && !notion.hiddenBlocks.has(id) && !isLeft(id),
  );
  return new Map(
    pages.map(({ id, parent, title, blocks }) => {
      const words = blocks.flatMap(({ type, body }) =>
        type === "paragraph" ? [wordsIn(body)] : [],
      );
      return [id, [`${folderOf(parent)}${title}.md`, words.join(" ")]];
    }),
  );
}

const wordsIn = ({ rich_text: texts }: Record<string, unknown>) =>
  (texts as { plain_text: string }[]).map(({ plain_text: text }) => text).join("");

type Target = { page: Entry; parent: Entry; variant: number };

const DEEDS: Record<string, (notion: NotionDouble, target: Target) => void> = {
  edit: (notion, { page, variant }) => {
    const children = page.blocks.filter(({ type }) => type !== "paragraph");
    notion.change(page.id, { blocks: [block("paragraph", `Edited ${variant}.`), ...children] });
  },
  rename: (notion, { page, variant }) => notion.change(page.id, { title: `r${variant % 5}` }),
  bin: (notion, { page }) => notion.change(page.id, { inTrash: true }),
  archive: (notion, { page }) => notion.change(page.id, { isArchived: true }),
  restore: (notion, { page }) => {
    notion.change(page.id, { inTrash: false, isArchived: false });
    notion.unsearched.delete(page.id);
  },
  /** Search forgets it: it is still in its parent. At the top nothing else would name it. */
  forget: (notion, { page }) => {
    if (page.parent !== null) notion.unsearched.add(page.id);
  },
  know: (notion, { page }) => void notion.unsearched.delete(page.id),
  move: (notion, { page, parent }) => {
    const isBelow = (id: string | null): boolean =>
      id !== null && (id === page.id || isBelow(notion.entries.get(id)?.parent ?? null));
    const isRow = notion.entries.get(page.parent ?? "")?.kind === "data_source";
    if (!isRow && !isBelow(parent.id)) notion.change(page.id, { parent: parent.id });
  },
};

export function applyStep(notion: NotionDouble, { kind, pick, variant }: Step): void {
  const pages = [...notion.entries.values()].filter(
    ({ kind: type, title }) => type === "page" && title !== UNTOUCHED,
  );
  const page = pages[pick % pages.length];
  const parent = pages[variant % pages.length];
  if (page === undefined || parent === undefined) return;
  const text = [block("paragraph", `Text ${pick}.`)];
  if (kind === "page") notion.page(variant % 4 === 0 ? null : parent.id, `n${variant % 4}`, text);
  if (kind === "row") notion.row(notion.database(parent.id, `D${pick % 3}`)[1], "row", {}, text);
  DEEDS[kind]?.(notion, { page, parent, variant });
}
