import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { readDirectory, readEntry, type ReadAt } from "../../../../src/core/bytes/zip/read-zip.ts";
import { writeZip, type ZipInput } from "../../../../src/core/bytes/zip/write-zip.ts";
import { testFolder } from "../../../support/test-folder.ts";

const textBytes = (text: string) => new TextEncoder().encode(text);

async function zipOf(files: Iterable<ZipInput>): Promise<Buffer> {
  async function* all() {
    yield* files;
  }
  const parts: Uint8Array[] = [];
  for await (const part of writeZip(all(), new Date("2026-11-29T10:20:30Z"))) parts.push(part);
  return Buffer.concat(parts);
}

const readerOf =
  (bytes: Uint8Array): ReadAt =>
  async (offset, length) =>
    bytes.subarray(offset, offset + length);

async function contentOf(bytes: Uint8Array, name: string): Promise<string> {
  const entries = await readDirectory(readerOf(bytes), bytes.length);
  const entry = entries.get(name);
  if (entry === undefined) throw new Error(`no ${name}`);
  return Buffer.from(await readEntry(readerOf(bytes), entry)).toString();
}

const FILES = () => [
  { name: "whole.txt", content: textBytes("whole") },
  { name: "folder/Größe 大.txt", content: textBytes("in a folder") },
  { name: "empty", content: textBytes("") },
];

test("what is written is read again", async () => {
  const zip = await zipOf(FILES());
  expect(await contentOf(zip, "whole.txt")).toBe("whole");
  expect(await contentOf(zip, "folder/Größe 大.txt")).toBe("in a folder");
  expect(await contentOf(zip, "empty")).toBe("");
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("Python's zipfile reads it and finds every checksum right", async () => {
  const path = join(testFolder(), "archive.zip");
  writeFileSync(path, await zipOf(FILES()));
  const script = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(z.testzip(), [(i.filename, z.read(i).decode(), i.date_time) for i in z.infolist()])`;
  const at = "(2026, 11, 29, 10, 20, 30)";
  expect(execFileSync("python3", ["-c", script, path]).toString().trim()).toBe(
    `None [('whole.txt', 'whole', ${at}), ('folder/Größe 大.txt', 'in a folder', ${at}), ('empty', '', ${at})]`,
  );
});

test("more than 65,535 files need the larger directory", async () => {
  const many = Array.from({ length: 65_536 }, (_, at) => `f/${at}`);
  const zip = await zipOf(many.map((name) => ({ name, content: textBytes(name) })));
  const entries = await readDirectory(readerOf(zip), zip.length);
  expect([...entries.keys()]).toEqual(many);
  expect(await contentOf(zip, "f/65535")).toBe("f/65535");
});
