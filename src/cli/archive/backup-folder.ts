import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

import { LOCAL, MANIFEST } from "../../core/bytes/zip/format.ts";
import { writeZip, type ZipInput } from "../../core/bytes/zip/write-zip.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { CommandFailure } from "../failure.ts";

/*
 * A folder of backups: `parts/ab/<SHA-256>` holds every part of every archive once, and
 * `backups/<time>.json` is the manifest of a backup, written when all of its parts are there.
 */
const partPath = (folder: string, hash: string) => join(folder, "parts", hash.slice(0, 2), hash);
const backupsPathOf = (folder: string) => join(folder, "backups");
const described = z.object({
  createdAt: z.string(),
  parts: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});

type Backup = z.infer<typeof described> & { path: string; bytes: Uint8Array };

function parseManifest(manifest: Uint8Array, damage: string) {
  const parsed = described.safeParse(parseJson(Buffer.from(manifest).toString()));
  if (parsed.success) return parsed.data;
  throw new CommandFailure(damage);
}

/** The backups of a folder, the oldest first. */
async function listBackups(folder: string): Promise<Backup[]> {
  const names = existsSync(backupsPathOf(folder)) ? await readdir(backupsPathOf(folder)) : [];
  const paths = names.filter((name) => name.endsWith(".json")).sort();
  return await Promise.all(
    paths.map(async (name) => {
      const path = join(backupsPathOf(folder), name);
      const bytes = await readFile(path);
      const damage = `${path} is damaged. Remove it to use the other backups.`;
      return Object.assign(parseManifest(bytes, damage), { path, bytes });
    }),
  );
}

/** The files of an archive of ours as they arrive. @throws CommandFailure when it ends too early */
async function* filesIn(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ZipInput> {
  const pieces = archive[Symbol.asyncIterator]();
  let waiting = Buffer.alloc(0);
  const take = async (length: number) => {
    const parts = [waiting];
    for (let size = waiting.length; size < length;) {
      const { done: isDone, value } = await pieces.next();
      if (isDone === true) throw new CommandFailure("The archive broke off; nothing is changed.");
      parts.push(Buffer.from(value));
      size += value.length;
    }
    const whole = parts.length === 1 ? waiting : Buffer.concat(parts);
    waiting = whole.subarray(length);
    return whole.subarray(0, length);
  };
  for (;;) {
    const header = await take(LOCAL.bytes);
    if (header.readUInt32LE(0) !== LOCAL.signature) break;
    const name = (await take(header.readUInt16LE(26) + header.readUInt16LE(28))).toString();
    yield { name, content: await take(header.readUInt32LE(18)) };
    if (name === MANIFEST) break;
  }
  // The rest shows that the service came to the end.
  while ((await pieces.next()).done !== true);
}

async function writeAtomically(path: string, content: Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(draft, content);
  await rename(draft, path);
}

/** Adds a backup: what the folder has already is not written again. The last `keep` remain. */
export async function addBackup(folder: string, archive: AsyncIterable<Uint8Array>, keep: number) {
  const counts = { parts: 0, newParts: 0, bytes: 0 };
  let end: Uint8Array = new Uint8Array();
  for await (const { name, content } of filesIn(archive)) {
    if (name === MANIFEST) {
      end = content;
      continue;
    }
    counts.parts += 1;
    const path = partPath(folder, createHash("sha256").update(content).digest("hex"));
    if (existsSync(path)) continue;
    await writeAtomically(path, content);
    counts.newParts += 1;
    counts.bytes += content.length;
  }
  const { createdAt, parts } = parseManifest(end, `The archive is damaged: ${MANIFEST}`);
  const missing = Object.entries(parts).find(([, hash]) => !existsSync(partPath(folder, hash)));
  if (missing !== undefined) throw new CommandFailure(`The archive is damaged: ${missing[0]}`);
  const path = join(backupsPathOf(folder), `${createdAt.replaceAll(":", "-")}.json`);
  await writeAtomically(path, end);
  await removeOldBackups(folder, keep);
  return { ...counts, createdAt };
}

async function removeOldBackups(folder: string, keep: number): Promise<void> {
  const all = await listBackups(folder);
  const [old, remaining] = [all.slice(0, -keep), all.slice(-keep)];
  if (old.length === 0) return;
  for (const { path } of old) await rm(path);
  const needed = new Set(remaining.flatMap(({ parts }) => Object.values(parts)));
  for (const hash of new Set(old.flatMap(({ parts }) => Object.values(parts)))) {
    if (!needed.has(hash)) await rm(partPath(folder, hash), { force: true });
  }
}

/** The last backup at or before a time, as an archive. @throws CommandFailure when there is none */
export async function archiveOfBackup(folder: string, at: Date | null) {
  const backup = (await listBackups(folder)).findLast(
    ({ createdAt }) => at === null || new Date(createdAt) <= at,
  );
  if (backup === undefined) {
    const limit = at === null ? "" : ` of ${at.toISOString()} or before`;
    throw new CommandFailure(`There is no backup${limit} in ${folder}.`);
  }
  const files = async function* () {
    for (const [name, hash] of Object.entries(backup.parts)) {
      yield { name, content: await readFile(partPath(folder, hash)) };
    }
    yield { name: MANIFEST, content: backup.bytes };
  };
  return writeZip(files(), new Date(backup.createdAt));
}
