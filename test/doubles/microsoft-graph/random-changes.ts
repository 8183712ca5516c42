import type { Step } from "../source/random-schedules.ts";
import type { Item } from "./answers.ts";
import type { DriveDouble } from "./drive-double.ts";

/** The files that a reader should find, by id, with their paths in the drive. */
export function currentFiles(drive: DriveDouble): Map<string, { path: string; content: string }> {
  const folderOf = ({ parent }: Item): string => {
    const above = parent === null || parent === drive.root ? undefined : drive.items.get(parent);
    return above === undefined ? "" : `${folderOf(above)}${above.name}/`;
  };
  const files = [...drive.items.values()].filter(
    ({ kind, deleted }) => kind === "file" && !deleted,
  );
  return new Map(
    files.map((item) => [
      item.id,
      { path: `${folderOf(item)}${item.name}`, content: item.content },
    ]),
  );
}

type Target = { item: Item; folder: string; variant: number };

const DEEDS: Record<string, (drive: DriveDouble, target: Target) => void> = {
  file: (drive, { folder, variant }) =>
    void drive.file(folder, `n${variant % 4}.txt`, `A note, ${variant}.`),
  folder: (drive, { folder, variant }) => void drive.folder(folder, `F${variant % 4}`),
  edit: (drive, { item, variant }) => {
    if (item.kind === "file") drive.change(item.id, { content: `A note, edited ${variant}.` });
  },
  touch: (drive, { item }) => drive.change(item.id, {}),
  rename: (drive, { item, variant }) => drive.change(item.id, { name: `r${variant % 5}` }),
  delete: (drive, { item }) => drive.delete(item.id),
  move: (drive, { item, folder }) => {
    if (!isBelow(drive, folder, item.id)) drive.change(item.id, { parent: folder });
  },
  expire: (drive) => drive.expireLinks(),
  lag: (drive) => drive.lag(),
  catchUp: (drive) => drive.catchUp(),
};

export function applyStep(drive: DriveDouble, { kind, pick, variant }: Step) {
  const items = [...drive.items.values()].filter(({ deleted }) => !deleted);
  const folders = items.filter((each) => each.kind === "folder" || each.kind === "root");
  const rest = items.filter((each) => each.kind !== "root");
  const item = rest[pick % Math.max(1, rest.length)];
  const folder = folders[variant % folders.length]?.id ?? drive.root;
  if (item !== undefined) DEEDS[kind]?.(drive, { item, folder, variant });
}

function isBelow(drive: DriveDouble, id: string, above: string): boolean {
  for (let at: string | null = id; at !== null; at = drive.items.get(at)?.parent ?? null) {
    if (at === above) return true;
  }
  return false;
}
