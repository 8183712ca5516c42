import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

import { principals } from "../../core/input/input-fields.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { codeOf, CommandFailure } from "../failure.ts";
import { matcher } from "./list-folder.ts";

/** Patterns of the files next to it and below, each with the readers of what it matches. */
export const READERS_FILE = ".quarry-readers.json";
const readersFile = z.record(z.string().min(1), principals);
const READ_AT_ONCE = 8;

type Rule = { matches: (path: string) => boolean; readers: string[] };
/** Who may read the file of a path; null: no pattern says so. */
export type LocalReaders = (path: string) => string[] | null;

/**
 * Readers by the readers files of a folder. The nearest one above a file with a pattern that fits
 * decides, and of its patterns the last.
 * @throws CommandFailure for a readers file that cannot be used
 */
export async function localReaders(root: string, paths: string[]): Promise<LocalReaders> {
  const folders = [...new Set(paths.flatMap(foldersAbove))];
  const rules = new Map<string, Rule[]>();
  await mapParallel(folders, READ_AT_ONCE, async (folder) => {
    const ruleList = await rulesIn(root, folder);
    if (ruleList.length > 0) rules.set(folder, ruleList);
  });
  return (path) => {
    for (const folder of foldersAbove(path)) {
      const inner = folder === "" ? path : path.slice(folder.length + 1);
      const rule = rules.get(folder)?.findLast(({ matches }) => matches(inner));
      if (rule !== undefined) return rule.readers;
    }
    return null;
  };
}

/** The nearest first. */
function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return [...names.map((_, at) => names.slice(0, names.length - at).join("/")), ""];
}

async function rulesIn(root: string, folder: string): Promise<Rule[]> {
  const file = join(root, folder, READERS_FILE);
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    if (codeOf(thrown) === "ENOENT") return null;
    throw new CommandFailure(`${file} cannot be read.`);
  });
  if (text === null) return [];
  const parsed = readersFile.safeParse(parseJson(text), { reportInput: true });
  if (parsed.success) {
    return Object.entries(parsed.data).map(([pattern, readers]) => {
      return { matches: matcher([pattern]), readers };
    });
  }
  const { path: [pattern] = [], input } = parsed.error.issues[0] ?? {};
  const where =
    pattern === undefined
      ? "it must be a JSON object"
      : `${String(pattern)}: ${JSON.stringify(input)}`;
  throw new CommandFailure(
    `${file}: ${where}; a pattern names a list of user: and an address, group: or domain: and a name, or everyone.`,
  );
}
