import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";

import { GoogleDriveDouble } from "../../../doubles/google-drive/google-drive-double.ts";
import { applyStep, held } from "../../../doubles/google-drive/random-changes.ts";
import { driveSource } from "../../../doubles/google-drive/scanning.ts";

const KINDS =
  "file folder edit rename rename move move bin restore unshare share delete scan scan crash".split(
    " ",
  );
const step = record({
  kind: constantFrom(...KINDS),
  pick: nat({ max: 50 }),
  other: nat({ max: 50 }),
});

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
        else applyStep(drive, each);
      }
      await source.scan();
      const expected = held(drive);
      expect([...source.files.keys()].sort()).toEqual([...expected.keys()].sort());
      const plain = (path: string, id: string) => path.replace(` (${id})`, "");
      for (const [id, { path }] of expected)
        expect(plain(source.files.get(id)?.path ?? "", id)).toBe(path);
      expect(new Set(source.paths()).size).toBe(expected.size);
    }),
    { numRuns: Number(process.env["RANDOM_SCHEDULES"] ?? 60) },
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
