import fc from "fast-check";
import { expect, test } from "vitest";

import { GoogleDriveDouble, type Item } from "../../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../../doubles/google-drive/scanning.ts";

const FOLDER = "application/vnd.google-apps.folder";
const KINDS = "file folder edit rename move bin restore unshare share delete scan crash".split(" ");
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.nat({ max: 50 }),
  other: fc.nat({ max: 50 }),
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

function apply(
  drive: GoogleDriveDouble,
  { kind, pick, other }: { kind: string; pick: number; other: number },
) {
  const items = [...drive.items.values()].filter(({ id }) => id !== drive.root);
  const folders = [...drive.items.values()].filter(({ mimeType }) => mimeType === FOLDER);
  const item = items[pick % Math.max(1, items.length)];
  const folder = folders[other % folders.length];
  if (kind === "file") drive.file(folder?.id ?? drive.root, `n${other % 4}.txt`, `text ${pick}`);
  if (kind === "folder")
    drive.folder(other % 5 === 0 ? null : (folder?.id ?? null), `F${pick % 4}`);
  if (item === undefined) return;
  if (kind === "edit" && item.mimeType !== FOLDER)
    drive.change(item.id, { content: `edit ${other}` });
  if (kind === "rename") drive.change(item.id, { name: `r${other % 5}` });
  if (kind === "bin") drive.change(item.id, { trashed: true });
  if (kind === "restore") drive.change(item.id, { trashed: false });
  if (kind === "unshare") drive.change(item.id, { shared: false });
  if (kind === "share") drive.change(item.id, { shared: true });
  if (kind === "delete") drive.delete(item.id);
  if (kind === "move" && folder !== undefined && !isBelow(drive, folder.id, item.id)) {
    drive.change(item.id, { parents: [folder.id] });
  }
}

function isBelow(drive: GoogleDriveDouble, id: string, above: string): boolean {
  for (let at: string | undefined = id; at !== undefined; at = drive.items.get(at)?.parents[0]) {
    if (at === above) return true;
  }
  return false;
}

test("whatever happens to a drive, a scan leaves what it holds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const drive = await keyed();
      drive.pageSize = 3;
      const source = driveSource(drive);
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
    { numRuns: 300 },
  );
});

/** One key pair serves all drives: making one takes longer than the rest. */
const first = GoogleDriveDouble.open();
const keyed = async () => new GoogleDriveDouble().sameAccountAs(await first);
