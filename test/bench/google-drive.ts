import Table from "cli-table3";

import { heapMeter, shownHeap } from "./support/heap-meter.ts";

import { GoogleDriveReader } from "../../src/sources/google-drive/google-drive-reader.ts";
import { knownFilesOf } from "../../src/sources/known-files.ts";
import { readerStore } from "../../src/sources/reader-store.ts";
import { BASE, GoogleDriveDouble } from "../doubles/google-drive/google-drive-double.ts";
import { EVERYTHING_INDEXED, scan, SOURCE, withSource } from "./support/scan-world.ts";
import type { Bindings } from "./support/scan-world.ts";

const SIZE = 20_000;
const FOLDERS = 4;
const CHANGED = 10;

/** One scan, with what it asks of Drive. */
async function measured(name: string, bindings: Bindings, drive: GoogleDriveDouble) {
  drive.asked.length = 0;
  const heap = heapMeter();
  const { costs } = await scan(bindings, ({ db, files, now }) => {
    const store = readerStore(files, SOURCE);
    const known = knownFilesOf(db, SOURCE);
    const fetch: typeof drive.fetch = async (address, request) => {
      heap.sample();
      return await drive.fetch(address, request);
    };
    const outgoing = { fetch, allowPrivate: false };
    const config = { rootFolderId: drive.root, apiBaseUrl: BASE };
    return new GoogleDriveReader(config, drive.account.keyFile(), { outgoing, now, store, known });
  });
  return { scan: name, driveCalls: drive.asked.length, ...costs, heapMiB: heap.inMiB() };
}

/**
 * `npm run bench -- google-drive [SIZE]`: what scans of a drive in four folders cost: calls of Drive (each
 * of the messages adds one download if the file's version is new), rows, D1 and R2 calls, and the
 * heap at each call of Drive (with `node --expose-gc`, without what can be collected).
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const size = Number(args[0] ?? SIZE);
  const drive = await GoogleDriveDouble.open();
  const folders = Array.from({ length: FOLDERS }, (_, at) => drive.folder(drive.root, `F${at}`));
  const ids = Array.from({ length: size }, (_, at) =>
    drive.file(folders[at % FOLDERS] ?? drive.root, `file-${at}.md`, `Text ${at}.`),
  );
  const results = await withSource(async (bindings) => {
    const { DB } = bindings;
    const first = await measured("first", bindings, drive);
    await DB.prepare(EVERYTHING_INDEXED).run();
    const unchanged = await measured("no change", bindings, drive);
    for (let at = 0; at < CHANGED; at++) {
      drive.change(ids[Math.floor((at * size) / CHANGED)] ?? "", { content: `Changed ${at}.` });
    }
    const changed = await measured(`${CHANGED} changes`, bindings, drive);
    await DB.prepare(EVERYTHING_INDEXED).run();
    await DB.prepare("update file_sources set listed_at = 0").run();
    const daily = await measured("daily full listing", bindings, drive);
    drive.change(folders[0] ?? "", { name: "Renamed" });
    const renamed = await measured(`folder of ${size / FOLDERS} renamed`, bindings, drive);
    return [first, unchanged, changed, daily, renamed];
  });
  const rows = results.map(({ heapMiB, ...rest }) => ({ ...rest, heap: shownHeap(heapMiB) }));
  const table = new Table({ head: Object.keys(rows[0] ?? {}) });
  for (const row of rows) table.push(Object.values(row));
  console.log(table.toString());
  return { results };
}
