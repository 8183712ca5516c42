import { z } from "zod";

import { isObject } from "../core/is-object.ts";
import type { KnownFiles, ListedFile, UnreadItem } from "../ports/source-reader.ts";

/** As many items, none of which is readable, are no page: the form of all has changed. */
const MANY = 10;

/**
 * The items of a page of a listing, without those that are not in the form that the provider
 * documents. `idField` holds a file's external id.
 */
export const listedItems = <Item>(item: z.ZodType<Item>, idField = "id") =>
  z.array(z.unknown()).transform((values, context) => {
    const items: Item[] = [];
    const unread: UnreadItem[] = [];
    for (const value of values) {
      const { data, error } = item.safeParse(value);
      if (error === undefined) items.push(data);
      else unread.push(unreadItem(value, idField, error));
    }
    if (items.length === 0 && unread.length >= MANY) context.addIssue("no item can be read");
    return { items, unread };
  });

/** Unread items by the ids of their files; null: they may hold files. */
export const withFileIds = (unread: UnreadItem[], fileIdOf: (id: string) => string | null) =>
  unread.map(({ id, path, message }) => ({ id: id && fileIdOf(id), path, message }));

/**
 * Where each item has readers, those of an unread one are unknown: nobody reads its file. `knownFiles`
 * null: readers do not count.
 */
export async function closeUnread(
  knownFiles: Pick<KnownFiles, "byExternalId"> | null,
  unread: UnreadItem[],
): Promise<{ files: ListedFile[]; unread: UnreadItem[] }> {
  if (knownFiles === null || unread.length === 0) return { files: [], unread };
  const reasons = new Map(unread.map(({ id, message }) => [id, message]));
  const files = await knownFiles.byExternalId(unread.flatMap(({ id }) => id ?? []));
  for (const file of files) {
    const message = reasons.get(file.externalId) ?? "";
    file.failure = { kind: "bad-file", message };
    file.readers = { unreadable: message };
  }
  const ids = new Set(files.map(({ externalId }) => externalId));
  return { files, unread: unread.filter(({ id }) => id === null || !ids.has(id)) };
}

/** An answer that is one item. */
export const listedItem = <Item>(item: z.ZodType<Item>) =>
  z.preprocess((value) => [value], listedItems(item));

function unreadItem(value: unknown, idField: string, { issues }: z.ZodError): UnreadItem {
  const textAt = (...names: string[]) =>
    names.map((name) => (isObject(value) ? textOf(value[name]) : "")).find(Boolean) ?? null;
  const isIdRead = issues.every(({ path: [field] }) => field !== idField);
  const id = isIdRead ? textAt(idField) : null;
  const field = issues[0]?.path.join(".") ?? "";
  const message = `the provider lists it in an unknown form (${field})`;
  return { id, path: textAt("name", "title", "path") ?? id ?? "an item", message };
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
