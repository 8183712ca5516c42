import type { Step } from "../source/random-schedules.ts";
import type { Item } from "./answers.ts";
import type { GoogleDriveDouble } from "./google-drive-double.ts";

const FOLDER = "application/vnd.google-apps.folder";

/** Files beneath the drive's root that a reader should find, with their paths. */
export function currentFiles(drive: GoogleDriveDouble): Map<string, { path: string; item: Item }> {
  const reaches = (item: Item | undefined): boolean =>
    item !== undefined &&
    (item.id === drive.root || reaches(drive.items.get(item.parents[0] ?? "")));
  const folderOf = (item: Item): string => {
    const parent = drive.items.get(item.parents[0] ?? "");
    if (parent === undefined || parent.id === drive.root) return "";
    return `${folderOf(parent)}${parent.name}/`;
  };
  const files = [...drive.items.values()].filter(
    (item) =>
      item.mimeType !== FOLDER && drive.isVisible(item) && !drive.isTrashed(item) && reaches(item),
  );
  return new Map(
    files.map((item) => [item.id, { path: `${folderOf(item)}${item.name}`, item }] as const),
  );
}

type Target = { item: Item; folder: Item | undefined; variant: number };

/** Effects of the steps on one item. */
const DEEDS: Record<string, (drive: GoogleDriveDouble, target: Target) => void> = {
  edit: (drive, { item, variant }) => {
    if (item.mimeType !== FOLDER) drive.change(item.id, { content: `A note, edited ${variant}.` });
  },
  rename: (drive, { item, variant }) => drive.change(item.id, { name: `r${variant % 5}` }),
  bin: (drive, { item }) => drive.change(item.id, { trashed: true }),
  restore: (drive, { item }) => drive.change(item.id, { trashed: false }),
  unshare: (drive, { item }) => drive.change(item.id, { shared: false }),
  share: (drive, { item }) => drive.change(item.id, { shared: true }),
  delete: (drive, { item }) => drive.delete(item.id),
  move: (drive, { item, folder }) => {
    if (folder === undefined || isBelow(drive, folder.id, item.id)) return;
    drive.change(item.id, { parents: [folder.id] });
  },
};

export function applyStep(drive: GoogleDriveDouble, { kind, pick, variant }: Step): void {
  const items = [...drive.items.values()].filter(({ id }) => id !== drive.root);
  const folders = [...drive.items.values()].filter(({ mimeType }) => mimeType === FOLDER);
  const item = items[pick % Math.max(1, items.length)];
  const folder = folders[variant % folders.length];
  if (kind === "file")
    drive.file(folder?.id ?? drive.root, `n${variant % 4}.txt`, `A note, ${pick}.`);
  if (kind === "folder")
    drive.folder(variant % 5 === 0 ? null : (folder?.id ?? null), `F${pick % 4}`);
  if (item !== undefined) DEEDS[kind]?.(drive, { item, folder, variant });
}

function isBelow(drive: GoogleDriveDouble, id: string, above: string): boolean {
  for (let at: string | undefined = id; at !== undefined; at = drive.items.get(at)?.parents[0]) {
    if (at === above) return true;
  }
  return false;
}
