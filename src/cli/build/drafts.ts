import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isAlive } from "../worker/claim-state.ts";

/** Names the process that writes it. `npm pack` does not pack `dist` itself whole. */
const DRAFT = /^\.(\d+)-/;

/** Gives a build a folder on the file system of `dist`; removes it, and those of killed builds. */
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

/** In one step. `beside`: where it is written first, on the same file system and not packed. */
export function replaceFile(path: string, content: string | Uint8Array, beside: string) {
  const draft = join(beside, `.${process.pid}-${draftNumber++}.tmp`);
  writeFileSync(draft, content);
  renameSync(draft, path);
}

let draftNumber = 0;
