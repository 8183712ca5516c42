import type { Dirent } from "node:fs";
import { opendir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import picomatch from "picomatch";

import { messageOf } from "../../core/errors.ts";
import { isHidden } from "../../core/folders.ts";
import { normalForm } from "../../core/normal-form.ts";
import { codeOf, CommandFailure } from "../failure.ts";
import { isIgnored, rulesAbove, rulesIn, type IgnoreRules } from "./ignore-files.ts";

/** Which paths of a folder a push looks at. Both lists are globs on the path inside the folder. */
export type FileChoice = {
  include?: string[] | undefined;
  exclude?: string[] | undefined;
  /** Whether what `.gitignore` and `.ignore` name is left out. */
  ignore: boolean;
};

export type Chooser = ReturnType<typeof chooser>;

/** A pattern without a slash matches at every depth, as in `.gitignore`. */
export function chooser({ include = [], exclude = [], ignore }: FileChoice) {
  const included = include.length === 0 ? () => true : matcher(include);
  const excluded = exclude.length === 0 ? () => false : matcher(exclude);
  return {
    ignore,
    file: (path: string) => !isHidden(path) && included(path) && !excluded(path),
    /** False when nothing below the folder can match, so that it need not be read. */
    folder: (path: string) => !isHidden(path) && !excluded(path) && !excluded(`${path}/`),
  };
}

export function matcher(patterns: string[]): (path: string) => boolean {
  const everywhere = patterns.flatMap((pattern) => {
    const inner = pattern.replace(/^\.?\//, "").replace(/\/$/, "");
    const anchored = inner.includes("/") || pattern.startsWith("/");
    const base = anchored ? inner : `**/${inner}`;
    return [base, `${base}/**`];
  });
  return picomatch(everywhere);
}

export type LocalFile = { path: string; absolutePath: string; size: number; modifiedAt: number };

export type FolderListing = {
  files: LocalFile[];
  /** Never pushed; a link can lead out of the folder or form a cycle. */
  hidden: string[];
  links: string[];
  /** Left out by ignore files; a folder ends in `/`. */
  ignored: string[];
  /** Present but unreadable: files and whole folders. */
  unreadable: { path: string; reason: string }[];
};

/**
 * All files of a folder, in order of their paths, which are as the service keeps them: separated
 * by `/` and in Unicode NFC, so that a folder gives the same paths on every system.
 * @throws CommandFailure when the folder is not there.
 */
export async function listFolder(folder: string, choose: Chooser): Promise<FolderListing> {
  const listing: FolderListing = { files: [], hidden: [], links: [], ignored: [], unreadable: [] };
  const absolute = await rootOf(folder);
  const above = choose.ignore ? await rulesAbove(absolute) : null;
  await listInto(listing, choose, { absolute, path: "", above });
  listing.files = withoutTwins(listing);
  return listing;
}

async function rootOf(folder: string): Promise<string> {
  const root = await realpath(folder).catch(() => null);
  if (root === null) throw new CommandFailure(`There is no folder ${folder}.`);
  if (!(await stat(root)).isDirectory()) throw new CommandFailure(`${folder} is not a folder.`);
  return root;
}

type Folder = { absolute: string; path: string; above: IgnoreRules | null };

async function listInto(into: FolderListing, choose: Chooser, { absolute, path, above }: Folder) {
  try {
    const rules = choose.ignore ? await rulesIn(absolute, basename(absolute), above) : null;
    for await (const entry of await opendir(absolute)) {
      const inner = normalForm(path === "" ? entry.name : `${path}/${entry.name}`, "NFC");
      const child = { absolute: join(absolute, entry.name), path: inner, above: rules };
      await listEntry(into, choose, entry, child);
    }
  } catch (thrown) {
    into.unreadable.push({ path, reason: reasonOf(thrown, path) });
  }
}

async function listEntry(into: FolderListing, choose: Chooser, entry: Dirent, child: Folder) {
  const { absolute: absolutePath, path, above } = child;
  const ending = entry.isDirectory() ? "/" : "";
  if (isHidden(entry.name)) into.hidden.push(path);
  else if (isIgnored(above, `${basename(path)}${ending}`)) into.ignored.push(`${path}${ending}`);
  else if (entry.isSymbolicLink()) into.links.push(path);
  else if (entry.isDirectory()) {
    if (choose.folder(path)) await listInto(into, choose, child);
  } else if (entry.isFile() && choose.file(path)) {
    try {
      const { size, mtimeMs } = await stat(absolutePath);
      into.files.push({ path, absolutePath, size, modifiedAt: Math.floor(mtimeMs) });
    } catch (thrown) {
      into.unreadable.push({ path, reason: reasonOf(thrown, path) });
    }
  }
}

/** Two names that differ only in their Unicode form are one path: the first is kept. */
function withoutTwins({ files, unreadable }: FolderListing): LocalFile[] {
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return files.filter((file, at) => {
    if (file.path !== files[at - 1]?.path) return true;
    unreadable.push({ path: file.path, reason: "another file has the same name" });
    return false;
  });
}

/** Node.js reads a byte that is no UTF-8 as U+FFFD, and then finds no file of that name. */
const REPLACED = "\uFFFD";

export function reasonOf(thrown: unknown, path = ""): string {
  const code = codeOf(thrown);
  if (code === "ENOENT" && path.includes(REPLACED)) return "its name is not UTF-8: rename it";
  if (code === "EACCES" || code === "EPERM") return "no permission to read it";
  if (code === "ENOENT") return "it was removed during the push";
  return messageOf(thrown);
}
