import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import installWitnesses from "../../support/install-witnesses.ts";

export type Page = { path: string; text: string };

const PROJECT = join(import.meta.dirname, "../../..");
/** Packages that `npm ci` installs, then those that only tests need. */
const MODULES = ["node_modules", "test/witnesses/node_modules"].map((name) => join(PROJECT, name));
const MIN_BYTES = 1_500;
const MAX_BYTES = 80_000;
const MANUAL_WIDTH = "80";
const MAX_MANUAL_BYTES = 4_000_000;
/** Manual pages that most Linux machines have; those that are not there are left out. */
const MANUALS = `
  apt-get.8 awk.1 base64.1 basename.1 bash.1 cat.1 chmod.1 chown.1 cmp.1 comm.1 cp.1 cron.8 curl.1
  cut.1 date.1 dd.1 df.1 diff.1 dpkg.1 du.1 env.1 expand.1 file.1 find.1 fold.1 git-add.1
  git-bisect.1 git-branch.1 git-checkout.1 git-clone.1 git-commit.1 git-diff.1 git-fetch.1
  git-log.1 git-merge.1 git-push.1 git-rebase.1 git-reset.1 git-stash.1 git-tag.1 grep.1 gzip.1
  head.1 hostname.1 install.1 join.1 jq.1 kill.1 less.1 ln.1 ls.1 mkdir.1 mktemp.1 mount.8 mv.1
  nice.1 nl.1 nohup.1 od.1 passwd.1 paste.1 patch.1 ps.1 pwd.1 readlink.1 rm.1 rsync.1 sed.1 seq.1
  shuf.1 sleep.1 sort.1 split.1 ssh.1 ssh-keygen.1 stat.1 su.1 tail.1 tar.1 tee.1 timeout.1 top.1
  touch.1 tr.1 uname.1 uniq.1 wc.1 wget.1 who.1 xargs.1 xz.1 zip.1`;

/**
 * Documentation that everybody has who ran this project's tests: READMEs of its npm packages, the
 * pages of `undici`, and manual pages where the machine has them.
 */
export function gatherDocumentation(): Page[] {
  installWitnesses();
  return [...readmes(), ...pagesBelow("undici/docs"), ...manuals()];
}

function readmes(): Page[] {
  const names = MODULES.flatMap((modules) =>
    readdirSync(modules).flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`)
        : [name],
    ),
  );
  return [...new Set(names)].toSorted().flatMap((name) => pageAt(`${name}/README.md`));
}

function pagesBelow(folder: string): Page[] {
  const [installed = ""] = MODULES;
  const names = readdirSync(join(installed, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .flatMap((name) => pageAt(`${folder}/${name.replaceAll("\\", "/")}`));
}

function pageAt(path: string): Page[] {
  const file = MODULES.map((modules) => join(modules, path)).find((place) => existsSync(place));
  if (file === undefined) return [];
  const { size } = statSync(file);
  return size < MIN_BYTES || size > MAX_BYTES ? [] : [{ path, text: readFileSync(file, "utf8") }];
}

function manuals(): Page[] {
  return MANUALS.trim()
    .split(/\s+/)
    .flatMap((page) => {
      const [name = "", section = ""] = page.split(/\.(?=\d$)/);
      const text = manual(section, name);
      return text === null ? [] : [{ path: `man/${page}.txt`, text }];
    });
}

function manual(section: string, name: string): string | null {
  try {
    const text = execFileSync(
      "man",
      ["--no-hyphenation", "--no-justification", "-P", "cat", section, name],
      {
        encoding: "utf8",
        env: { ...process.env, MANWIDTH: MANUAL_WIDTH, MAN_KEEP_FORMATTING: "", LC_ALL: "C.UTF-8" },
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: MAX_MANUAL_BYTES,
      },
    );
    // Bold and underlined characters are typed over.
    // oxlint-disable-next-line no-control-regex -- the backspace is what marks them
    return text.replace(/.\u0008/gu, "");
  } catch {
    return null;
  }
}

export type Question = {
  text: string;
  /** `own`: in the document's words; `other`: in others; `none`: no document answers. */
  kind: "own" | "other" | "none";
  /** Files that answer; any of them counts. */
  files: string[];
  /** Words of the passage that answers. */
  passage: string;
};

/** Reads a set: `kind | question | package, folder or page | words of the passage` a line. */
export function readQuestions(file: string): Question[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [kind = "", text = "", files = "", passage = ""] = line
        .split(" | ")
        .map((part) => part.trim());
      if (kind !== "own" && kind !== "other" && kind !== "none") throw new Error(`kind? ${line}`);
      return { kind, text, files: files.split("|").filter(Boolean).map(pathOf), passage };
    });
}

function pathOf(name: string): string {
  if (name.endsWith(".md")) return name;
  return name.startsWith("man/") ? `${name}.txt` : `${name}/README.md`;
}

/** Questions whose documents this machine has, and what is wrong with the others. */
export function askable(questions: Question[], pages: Page[]): [Question[], string[]] {
  const texts = new Map(pages.map(({ path, text }) => [path, flat(text)]));
  const wrong: string[] = [];
  const good = questions.filter(({ kind, text, files, passage }) => {
    if (kind === "none") return true;
    const existingFiles = files.filter((file) => texts.has(file));
    const holds = existingFiles.some((file) => texts.get(file)?.includes(flat(passage)));
    if (!holds)
      wrong.push(`${text} (${existingFiles.length === 0 ? "no file" : "passage not found"})`);
    return holds;
  });
  return [good, wrong];
}

/** In small letters, with single spaces. */
export const flat = (text: string): string => text.toLowerCase().replace(/\s+/g, " ");
