import ignore, { type Ignore } from "ignore";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { normalForm } from "../../core/normal-form.ts";
import { codeOf, CommandFailure } from "../failure.ts";

/** The rules of the later file win, as for Git and ripgrep. */
export const IGNORE_FILES = [".git/info/exclude", ".gitignore", ".ignore"];

/** The rules of a folder, for paths relative to it, and those of the folders above. */
export type IgnoreRules = { own: Ignore; name: string; above: IgnoreRules | null };

/** Names are compared as Git does by default on the system. */
const ignorecase = process.platform === "darwin" || process.platform === "win32";

export async function rulesIn(folder: string, name: string, above: IgnoreRules | null) {
  const own = ignore({ ignorecase });
  for (const file of IGNORE_FILES) {
    const text = await readFile(join(folder, file), "utf8").catch((thrown: unknown) => {
      if (["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(thrown))) return "";
      // It may name secrets: nothing of the folder is pushed without it.
      throw new CommandFailure(`its ${file} cannot be read`);
    });
    own.add(normalForm(text.replace(/^\uFEFF/, ""), "NFC"));
  }
  return { own, name: normalForm(name, "NFC"), above };
}

/** The nearest rule decides: https://git-scm.com/docs/gitignore. A folder's path ends in `/`. */
export function isIgnored(rules: IgnoreRules | null, path: string): boolean {
  if (rules === null) return false;
  const { ignored, unignored } = rules.own.test(path);
  return ignored || (!unignored && isIgnored(rules.above, `${rules.name}/${path}`));
}

/**
 * The rules of the checkout that holds a folder; null without one, and for a folder that they
 * ignore: whoever pushes such a folder, such as built documentation, names it on purpose.
 */
export async function rulesAbove(folder: string): Promise<IgnoreRules | null> {
  if (existsSync(join(folder, ".git"))) return null;
  const parent = dirname(folder);
  if (parent === folder || !isInCheckout(parent)) return null;
  const rules = await rulesIn(parent, basename(parent), await rulesAbove(parent));
  return isIgnored(rules, `${basename(folder)}/`) ? null : rules;
}

const isInCheckout = (folder: string): boolean =>
  existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isInCheckout(dirname(folder)));
