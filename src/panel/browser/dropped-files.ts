import { pathInFolder } from "./uploads.ts";

/** `file` is null where the browser could not read it. */
export type DroppedFile = { path: string; file: File | null };

/** One folder's files with their paths in it, as `quarry push` has them; else with its name. */
export async function filesIn({ items, files }: DataTransfer): Promise<DroppedFile[]> {
  // The entries must be read at once: the list is empty when the event is over.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files].map((file) => ({ path: file.name, file }));
  const lists = await Promise.all(entries.map((entry) => filesBelow(entry, "")));
  const isOneFolder = entries.length === 1 && entries[0]?.isDirectory === true;
  return lists
    .flat()
    .map(({ path, file }) => ({ path: isOneFolder ? pathInFolder(path) : path, file }));
}

/** An unreadable file is named and does not stop the others. */
async function filesBelow(entry: FileSystemEntry, above: string): Promise<DroppedFile[]> {
  const path = above + entry.name;
  try {
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      return [{ path, file }];
    }
    if (!isFolder(entry)) return [];
    const inner = await entriesOf(entry);
    return (await Promise.all(inner.map((entry) => filesBelow(entry, `${path}/`)))).flat();
  } catch {
    return [{ path, file: null }];
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** A reader gives at most 100 entries at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
