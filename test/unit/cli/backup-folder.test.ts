import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import * as files from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { addBackup, archiveOfBackup } from "../../../src/cli/archive/backup-folder.ts";
import { writeZip } from "../../../src/core/bytes/zip/write-zip.ts";
import { testFolder } from "../../support/test-folder.ts";

vi.mock("node:fs/promises", { spy: true });

const MANIFEST = "manifest.json";
let folder = "";
beforeEach(() => void (folder = testFolder()));
afterEach(() => vi.restoreAllMocks());

type Parts = Record<string, string>;
const dayOf = (day: number) => `2026-11-0${day}T06:00:00.000Z`;
const partsOf = (version: number): Parts => ({
  "settings.json": "{}",
  "files/docs/NFD é 🧱 %2F.md": "It never changes.",
  "files/docs/a.md": `version ${version}`,
  "rags/docs/passages-1.jsonl": `passage ${version}`,
});

async function allOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

/** The archive of a day, as a service sends it. */
async function archiveOf(day: number, parts = partsOf(day)): Promise<Uint8Array[]> {
  const hashes = Object.entries(parts).map(([name, text]) => [
    name,
    createHash("sha256").update(text).digest("hex"),
  ]);
  const manifest = JSON.stringify({ createdAt: dayOf(day), parts: Object.fromEntries(hashes) });
  async function* entries() {
    for (const [name, text] of [...Object.entries(parts), [MANIFEST, manifest]] as const) {
      yield { name: name ?? "", content: Buffer.from(text ?? "") };
    }
  }
  return await allOf(writeZip(entries(), new Date(dayOf(day))));
}

async function* streamOf(pieces: Uint8Array[], until = Infinity): AsyncGenerator<Uint8Array> {
  for (const [at, piece] of pieces.entries()) {
    if (at >= until) throw new Error("the connection broke off");
    yield piece;
  }
}

const add = async (day: number, keep = 14) =>
  await addBackup(folder, streamOf(await archiveOf(day)), keep);
const restored = async (at: string | null = null) => {
  const time = at === null ? null : new Date(at);
  return Buffer.concat(await allOf(await archiveOfBackup(folder, time)));
};
const expected = async (day: number) => Buffer.concat(await archiveOf(day));
const storedParts = () =>
  readdirSync(join(folder, "parts"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .toSorted();

test("a second backup writes what changed, and each time gives back its own", async () => {
  expect(await add(1)).toMatchObject({ parts: 4, newParts: 4 });
  expect(await add(2)).toMatchObject({ parts: 4, newParts: 2 });
  expect(await restored()).toEqual(await expected(2));
  expect(await restored(dayOf(2))).toEqual(await expected(2));
  expect(await restored("2026-11-02T05:59:59Z")).toEqual(await expected(1));
  await expect(restored("2026-10-31T00:00:00Z")).rejects.toThrow(
    "There is no backup of 2026-10-31T00:00:00.000Z or before in ",
  );
});

test("a damaged backup is named, and what to do about it", async () => {
  await add(1);
  const path = join(folder, "backups", "2026-11-02.json");
  await files.writeFile(path, "");
  await expect(restored()).rejects.toThrow(`${path} is damaged. Remove it`);
  await files.rm(path);
  expect(await restored()).toEqual(await expected(1));
});

test("the last backups remain, with their parts alone", async () => {
  for (const day of [1, 2, 3, 4]) await add(day, 2);
  expect(await restored(dayOf(3))).toEqual(await expected(3));
  await expect(restored(dayOf(2))).rejects.toThrow("There is no backup of ");
  const texts = [3, 4].flatMap((day) => Object.values(partsOf(day)));
  expect(storedParts()).toEqual([...new Set(texts)].toSorted());
});

test("an export that is cut anywhere leaves the last good backup, and none of its own", async () => {
  await add(1);
  const pieces = await archiveOf(2);
  // The directory follows the manifest: a cut there is one, too.
  for (let until = 0; until < pieces.length; until++) {
    await expect(addBackup(folder, streamOf(pieces, until), 14)).rejects.toThrow("broke off");
    await expect(
      addBackup(folder, streamOf(pieces.slice(0, Math.min(until, 14))), 14),
    ).rejects.toThrow("The archive broke off; nothing is changed.");
    expect(await restored()).toEqual(await expected(1));
  }
  await add(2);
  expect(await restored()).toEqual(await expected(2));
});

test("a process that dies at any write leaves the last good backup", async () => {
  let deaths = 0;
  for (const call of ["writeFile", "rename", "rm"] as const) {
    for (let at = 0; ; at++) {
      folder = testFolder();
      await add(1);
      let calls = 0;
      const spy = vi.spyOn(files, call);
      const real = spy.getMockImplementation();
      const { [call]: original } = await vi.importActual<typeof files>("node:fs/promises");
      spy.mockImplementation(async (...args: unknown[]) => {
        // Half of a file is written before it dies.
        if (calls++ === at) {
          if (call === "writeFile") await original(args[0] as never, "half" as never);
          throw new Error("killed");
        }
        return await (original as (...all: unknown[]) => Promise<never>)(...args);
      });
      const died = await add(2, 1).then(
        () => false,
        (thrown: Error) => thrown.message === "killed",
      );
      spy.mockImplementation(real ?? (original as never));
      if (!died) break;
      deaths += 1;
      const isOver = call === "rm";
      expect(await restored()).toEqual(await expected(isOver ? 2 : 1));
    }
  }
  expect(deaths).toBe(9);
});
