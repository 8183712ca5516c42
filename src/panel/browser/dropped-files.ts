/** `file` is null where the browser could not read it. */
export type Dropped = { path: string; file: File | null };

/** Files that systems leave in folders, which nobody means. */
const UNMEANT = new Set([".DS_Store", "Thumbs.db", "desktop.ini"]);

/** All files of what was dropped, those in folders with their path from the folder's name on. */
export async function filesIn({ items, files }: DataTransfer): Promise<Dropped[]> {
  // The entries must be asked for at once: the list is empty when the event is over.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const plain = [...files].map((file) => ({ path: file.name, file }));
  if (entries.length === 0) return plain;
  const found = await Promise.all(entries.map((entry) => filesBelow(entry, "")));
  return found.flat().filter(isMeant);
}

export const isMeant = ({ path }: Dropped) => !UNMEANT.has(path.split("/").at(-1) ?? "");

/** What cannot be read is told as such, and keeps nothing else from being uploaded. */
async function filesBelow(entry: FileSystemEntry, above: string): Promise<Dropped[]> {
  const path = above + entry.name;
  try {
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      return [{ path, file }];
    }
    if (!isFolder(entry)) return [];
    const inner = await entriesOf(entry);
    return (await Promise.all(inner.map((one) => filesBelow(one, `${path}/`)))).flat();
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
