import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isAlive } from "../is-alive.ts";

/**
 * Names of drafts begin with the number of the process that writes them. They lie in `dist` itself,
 * which `npm pack` does not pack whole as it does the folders below.
 */
const DRAFT = /^\.(\d+)-/;

/**
 * Runs a build with a folder of its own for what is not whole yet, on the file system of `dist`.
 * The folder is removed at the end, and what killed builds left there, at the beginning.
 */
export async function withDrafts(
  dist: string,
  work: (drafts: string) => Promise<void>,
): Promise<void> {
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) {
    if (isLeftover(name)) rmSync(join(dist, name), { recursive: true, force: true });
  }
  const drafts = mkdtempSync(join(dist, `.${process.pid}-package-`));
  try {
    await work(drafts);
  } finally {
    rmSync(drafts, { recursive: true, force: true });
  }
}

function isLeftover(name: string): boolean {
  const pid = Number(DRAFT.exec(name)?.[1] ?? process.pid);
  return pid !== process.pid && !isAlive(pid);
}

/**
 * Replaces a file in one step: who reads it meanwhile, such as a second build or `npm pack` in the
 * same checkout, reads the old or the new one, never a part. `beside`: where it is written first,
 * on the same file system; not in a folder that is packed.
 */
export function replaceFile(path: string, content: string | Uint8Array, beside: string) {
  const draft = join(beside, `.${process.pid}-${draftNumber++}.tmp`);
  writeFileSync(draft, content);
  renameSync(draft, path);
}

let draftNumber = 0;
