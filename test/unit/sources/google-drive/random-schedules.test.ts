import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";

import type { Item } from "../../../doubles/google-drive/answers.ts";
import { GoogleDriveDouble } from "../../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../../doubles/google-drive/scanning.ts";

const FOLDER = "application/vnd.google-apps.folder";
const KINDS =
  "file folder edit rename rename move move bin restore unshare share delete scan scan crash".split(
    " ",
  );
const step = record({
  kind: constantFrom(...KINDS),
  pick: nat({ max: 50 }),
  other: nat({ max: 50 }),
});

/** What the drive holds beneath its root, by id. */
function held(drive: GoogleDriveDouble): Map<string, string> {
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
  return new Map(files.map((item) => [item.id, `${folderOf(item)}${item.name}`]));
}

type Step = { kind: string; pick: number; other: number };
type Target = { item: Item; folder: Item | undefined; other: number };

/** What a step does to one item. */
const DEEDS: Record<string, (drive: GoogleDriveDouble, target: Target) => void> = {
  edit: (drive, { item, other }) => {
    if (item.mimeType !== FOLDER) drive.change(item.id, { content: `edit ${other}` });
  },
  rename: (drive, { item, other }) => drive.change(item.id, { name: `r${other % 5}` }),
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

function apply(drive: GoogleDriveDouble, { kind, pick, other }: Step) {
  const items = [...drive.items.values()].filter(({ id }) => id !== drive.root);
  const folders = [...drive.items.values()].filter(({ mimeType }) => mimeType === FOLDER);
  const item = items[pick % Math.max(1, items.length)];
  const folder = folders[other % folders.length];
  if (kind === "file") drive.file(folder?.id ?? drive.root, `n${other % 4}.txt`, `text ${pick}`);
  if (kind === "folder")
    drive.folder(other % 5 === 0 ? null : (folder?.id ?? null), `F${pick % 4}`);
  if (item !== undefined) DEEDS[kind]?.(drive, { item, folder, other });
}

function isBelow(drive: GoogleDriveDouble, id: string, above: string): boolean {
  for (let at: string | undefined = id; at !== undefined; at = drive.items.get(at)?.parents[0]) {
    if (at === above) return true;
  }
  return false;
}

test("whatever happens to a drive, a scan leaves what it holds", async () => {
  await assert(
    asyncProperty(array(step, { minLength: 5, maxLength: 30, size: "max" }), async (steps) => {
      const drive = populated(await keyed());
      drive.pageSize = 3;
      const source = driveSource(drive);
      await source.scan();
      for (const each of steps) {
        if (each.kind === "scan") await source.scan();
        else if (each.kind === "crash") await source.scan(1 + (each.pick % 4));
        else apply(drive, each);
      }
      await source.scan();
      const expected = held(drive);
      expect([...source.files.keys()].sort()).toEqual([...expected.keys()].sort());
      const plain = (path: string, id: string) => path.replace(` (${id})`, "");
      for (const [id, path] of expected)
        expect(plain(source.files.get(id)?.path ?? "", id)).toBe(path);
      expect(new Set(source.paths()).size).toBe(expected.size);
    }),
    { numRuns: 100 },
  );
});

/** Two trees with files in them, one outside the root. */
function populated(drive: GoogleDriveDouble): GoogleDriveDouble {
  for (const parent of [drive.root, drive.folder(null, "Outside")]) {
    const top = drive.folder(parent, "Top");
    const deep = drive.folder(drive.folder(top, "Middle"), "Deep");
    for (const folder of [parent, top, deep]) drive.file(folder, "n0.txt", "text");
  }
  return drive;
}

/** One key pair serves all drives: making one takes longer than the rest. */
const first = GoogleDriveDouble.open();
async function keyed(): Promise<GoogleDriveDouble> {
  const drive = new GoogleDriveDouble();
  drive.account.sameAs((await first).account);
  return drive;
}
