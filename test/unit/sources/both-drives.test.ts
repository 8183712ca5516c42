import { expect, test } from "vitest";

import { GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import * as google from "../../doubles/google-drive/random-changes.ts";
import { driveSource } from "../../doubles/google-drive/scanning.ts";
import type { DriveDouble } from "../../doubles/microsoft-graph/drive-double.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import * as graphs from "../../doubles/microsoft-graph/random-changes.ts";
import { graphSource, libraryOf } from "../../doubles/microsoft-graph/scanning.ts";
import { inAnyOrder, type Step } from "../../doubles/source/random-schedules.ts";
import { failureOf, fileOf, textOf } from "../../doubles/source/simulated-scans.ts";

/** One key pair serves all drives: making one takes longer than the rest. */
const first = GoogleDriveDouble.open();

async function googleDrive() {
  const drive = new GoogleDriveDouble();
  drive.account.sameAs((await first).account);
  return {
    drive,
    source: driveSource(drive),
    requests: drive.requests,
    move: (id: string, to: string) => drive.change(id, { parents: [to] }),
    expireTokens: () => drive.account.expireTokens(),
    expireFeed: () => drive.expireCursors(),
    refuseTokens: () => drive.fail({ path: /files/, status: 401, reason: "authError", times: 2 }),
    alike: ["Minutes.txt", "Minutes.txt"],
  };
}

async function library(namesDescendants = true) {
  const { graph, drive, source } = libraryOf();
  drive.namesDescendants = namesDescendants;
  return await Promise.resolve({
    drive,
    source,
    requests: graph.requests,
    move: (id: string, to: string) => drive.change(id, { parent: to }),
    expireTokens: () => graph.entra.expireTokens(),
    expireFeed: () => drive.expireLinks(),
    refuseTokens: () =>
      graph.fail({ path: /items/, status: 401, code: "InvalidAuthenticationToken", times: 2 }),
    // One after normalisation.
    alike: ["Caf\u00E9.txt", "Cafe\u0301.txt"],
  });
}

const DRIVES: [string, () => ReturnType<typeof googleDrive> | ReturnType<typeof library>][] = [
  ["Google Drive", googleDrive],
  ["a library", library],
  ["a library whose feed names no descendants", async () => await library(false)],
];

test.each(DRIVES)("%s: edits, renames, moves and deletions are followed alone", async (_, open) => {
  const { drive, source, requests, move } = await open();
  const inside = drive.folder(drive.root, "A");
  const [edited = "", renamed = "", moved = "", deleted = ""] = ["1", "2", "3", "4"].map((name) =>
    drive.file(drive.root, `${name}.txt`, name),
  );
  await source.scan();
  const before = fileOf(source, edited).version;
  drive.change(edited, { content: "changed" });
  drive.change(renamed, { name: "renamed.txt" });
  move(moved, inside);
  drive.delete(deleted);
  drive.file(inside, "new.txt", "new");
  expect(await source.scan()).toBe("follow");
  expect(source.paths()).toEqual(["1.txt", "A/3.txt", "A/new.txt", "renamed.txt"]);
  expect(fileOf(source, edited).version).not.toBe(before);
  requests.length = 0;
  expect(await source.scan()).toBe("follow");
  expect(requests.filter((each) => !each.endsWith("/token"))).toHaveLength(1);
});

test.each(DRIVES)("%s: a folder that moves or goes takes all beneath along", async (_, open) => {
  const { drive, source, move } = await open();
  const [from, to] = [drive.folder(drive.root, "From"), drive.folder(drive.root, "To")];
  const deep = drive.folder(from, "Deep");
  const file = drive.file(deep, "a.txt", "a");
  await source.scan();
  const { version } = fileOf(source, file);
  drive.change(deep, { name: "Deeper" });
  move(deep, to);
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["To/Deeper/a.txt"]);
  const metadata = { ancestors: [drive.root, to, deep] };
  expect(fileOf(source, file)).toMatchObject({ version, externalId: file, metadata });
  drive.delete(to);
  await source.scan();
  expect(source.paths()).toEqual([]);
});

test.each(DRIVES)("%s: files of one name keep paths of their own", async (_, open) => {
  const { drive, source, alike } = await open();
  const [former = "", latter = ""] = alike.map((name, at) => drive.file(drive.root, name, `${at}`));
  await source.scan();
  const [name = ""] = alike;
  const apart = name.replace(".", ` (${latter}).`);
  expect(source.paths()).toEqual([apart, name].sort());
  drive.change(latter, { content: "22" });
  drive.change(former, { content: "11" });
  await source.scan();
  expect(fileOf(source, latter).path).toBe(apart);
  drive.delete(former);
  await source.scan();
  const third = drive.file(drive.root, name, "3");
  await source.scan();
  expect(source.paths()).toEqual([apart, name].sort());
  expect(fileOf(source, third).path).toBe(name);
});

test.each(DRIVES)("%s: what happens during a long listing is told by the feed", async (_, open) => {
  const { drive, source } = await open();
  drive.pageSize = 2;
  for (const name of ["a", "b", "c", "d", "e", "f", "g"])
    drive.file(drive.root, `${name}.txt`, name);
  expect(await source.scan(3)).toBe("stopped");
  const late = drive.file(drive.root, "late.txt", "late");
  drive.lag();
  drive.change(late, { content: "later" });
  await source.scan();
  drive.catchUp();
  await source.scan();
  expect(source.paths()).toContain("late.txt");
  expect(await textOf(source, late)).toBe("later");
});

test.each(DRIVES)("%s: a feed that cannot be taken up leads to a listing", async (_, open) => {
  const { drive, source, expireFeed } = await open();
  drive.file(drive.root, "a.txt", "a");
  const deletedFile = drive.file(drive.root, "gone.txt", "g");
  await source.scan();
  drive.delete(deletedFile);
  drive.file(drive.root, "c.txt", "c");
  expireFeed();
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["a.txt", "c.txt"]);
  expect(await source.scan()).toBe("follow");
});

test.each(DRIVES)("%s: an expired token is renewed, one refused twice is told", async (_, open) => {
  const { drive, source, expireTokens, refuseTokens } = await open();
  const file = drive.file(drive.root, "a.txt", "a");
  await source.scan();
  expireTokens();
  expect(await textOf(source, file)).toBe("a");
  refuseTokens();
  expect(await failureOf(textOf(source, file))).toMatchObject({ kind: "denied" });
});

type Random = {
  source: ReturnType<typeof driveSource> | ReturnType<typeof graphSource>;
  apply: (step: Step) => unknown;
  /** Paths and sizes of files by id. */
  expectedFiles: () => Map<string, [path: string, size: number]>;
  /** The last scan. */
  settle: () => Promise<unknown>;
};

const NAMED = "file folder edit rename move move delete scan scan crash";

async function randomDrive(): Promise<Random> {
  const { drive, source } = await googleDrive();
  drive.pageSize = 3;
  for (const parent of [drive.root, drive.folder(null, "Outside")]) populate(drive, parent);
  const expectedFiles: Random["expectedFiles"] = () =>
    new Map(
      Array.from(google.currentFiles(drive), ([id, { path, item }]) => [
        id,
        [path, item.content.length],
      ]),
    );
  const apply = (step: Step) => google.applyStep(drive, step);
  return { source, apply, expectedFiles, settle: async () => await source.scan() };
}

/** Two libraries, whose paths begin with their names. */
async function randomSite(namesDescendants: boolean): Promise<Random> {
  const graph = new GraphDouble();
  const site = graph.site("hr");
  graph.library(site, "Archive");
  for (const drive of site.drives) {
    Object.assign(drive, { pageSize: 3, namesDescendants });
    populate(drive, drive.root);
  }
  const source = graphSource(graph, { siteId: site.id });
  const apply = async (step: Step) => {
    const drive = site.drives[step.variant % 2];
    if (step.kind !== "fail") return drive && graphs.applyStep(drive, step);
    graph.fail({ path: step.pick % 2 === 0 ? /delta/ : /items/, status: 503 });
    await source.scan().catch(() => undefined);
    graph.failures.length = 0;
  };
  const expectedFiles: Random["expectedFiles"] = () =>
    new Map(
      site.drives.flatMap((drive) =>
        Array.from(
          graphs.currentFiles(drive),
          ([id, { path, content }]): [string, [path: string, size: number]] => [
            id,
            [`${drive.name}/${path}`, content.length],
          ],
        ),
      ),
    );
  const settle = async () => {
    for (const drive of site.drives) drive.catchUp();
    // A folder that was renamed under a listing is put right by the next.
    if ((await source.scan()) === "full") await source.scan();
  };
  return await Promise.resolve({ source, apply, expectedFiles, settle });
}

/** Three levels of folders with a file in each. */
function populate(drive: GoogleDriveDouble | DriveDouble, root: string): void {
  const top = drive.folder(root, "Top");
  const deep = drive.folder(drive.folder(top, "Middle"), "Deep");
  for (const folder of [root, top, deep]) drive.file(folder, "n0.txt", "text");
}

test.each<[string, string, (flag: boolean) => Promise<Random>]>([
  ["a drive", `${NAMED} rename bin restore unshare share`, randomDrive],
  ["a site", `${NAMED} edit touch fail expire lag catchUp`, randomSite],
])("whatever happens to %s, a scan leaves what it holds", async (_what, kinds, open) => {
  await inAnyOrder(kinds, 20, async (steps, flag) => {
    const { source, apply, expectedFiles, settle } = await open(flag);
    await source.scan();
    for (const each of steps) {
      if (each.kind === "scan") await source.scan();
      else if (each.kind === "crash") await source.scan(1 + (each.pick % 4));
      else await apply(each);
    }
    await settle();
    const plain = [...source.files].map(([id, { path, size }]) => [
      id,
      [path.replace(` (${id})`, ""), size],
    ]);
    expect(Object.fromEntries(plain)).toEqual(Object.fromEntries(expectedFiles()));
    expect(new Set(source.paths()).size).toBe(plain.length);
  });
});
