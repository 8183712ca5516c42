import { open } from "node:fs/promises";
import { basename, join } from "node:path";

import { MAX_IDENTIFIER_LENGTH, identifierFrom } from "../../core/ids.ts";
import { PROJECT } from "../installation.ts";
import type { LocalFile } from "../push/list-folder.ts";
import type { DemoState } from "./demo-state.ts";

export const SAMPLE_FOLDER = join(PROJECT, "src/cli/sample");

/** The folder that `npm start` indexes, and the names of its resources. */
export type Subject = { folder: string; identifier: string; name: string };

const SUFFIX_LENGTH = 4;

/** The sample, or a folder of the user under an identifier of its own. */
export function subjectOf(folder: string, folders: DemoState["folders"]): Subject {
  if (folder === SAMPLE_FOLDER) {
    return { folder, identifier: "sample", name: "Fenwright handbook (sample)" };
  }
  const name = basename(folder) || "Documents";
  const full = identifierFrom(name).slice(0, MAX_IDENTIFIER_LENGTH - SUFFIX_LENGTH);
  const base = full.replace(/-+$/, "") || "documents";
  for (let count = 1; ; count++) {
    const identifier = count === 1 ? base : `${base}-${count}`;
    const owner = identifier === "sample" ? SAMPLE_FOLDER : folders[identifier];
    if (owner === undefined || owner === folder) return { folder, identifier, name };
  }
}

/** The questions at the end of a start: passages for `query`, an answer to `prompt`. */
export type Questions = { query: string; prompt: string };

export const SAMPLE_QUESTIONS: Questions = {
  query: "What has to be done first when the conductivity of the irrigation water is too high?",
  prompt: "How long can MossGel be stored, and at what temperature?",
};

const HEAD_BYTES = 16_384;
const HEADINGS = [
  /^#{1,6}\s+(?<heading>.*?)\s*#*\s*$/m,
  /<h[1-6][^>]*>(?<heading>[\s\S]*?)<\/h[1-6]>/i,
  /<title[^>]*>(?<heading>[\s\S]*?)<\/title>/i,
];
const WITH_HEADINGS = /\.(md|markdown|mdx|html?|xhtml)$/i;

/** The first heading in a folder's files; without any, the first file's name as words. */
export async function firstHeading(files: LocalFile[]): Promise<string | null> {
  for (const file of files.filter(({ path }) => WITH_HEADINGS.test(path))) {
    const heading = headingIn(await headOf(file.absolutePath));
    if (heading !== null) return heading;
  }
  const [first] = files;
  if (first === undefined) return null;
  const words = basename(first.path)
    .replace(/\.[^.]*$/, "")
    .replace(/[-_.]+/g, " ");
  return words.trim() || first.path;
}

/** Markdown before HTML, as a Markdown file may hold both. */
export function headingIn(text: string): string | null {
  for (const pattern of HEADINGS) {
    const heading = pattern.exec(text)?.groups?.["heading"] ?? "";
    const plain = withoutLinks(withoutLinks(heading))
      .replace(/<[^>]*>/g, " ")
      .replace(/[*_`]/g, "")
      .replace(/\s+/g, " ")
      .trim();
    if (plain !== "") return plain;
  }
  return null;
}

/** Links as their text, pictures as nothing; twice for badges, which are pictures in links. */
const withoutLinks = (markdown: string) =>
  markdown.replace(/!\[[^\][]*\]\([^()\s]*\)|\[([^\][]*)\]\([^()\s]*\)/g, "$1");

async function headOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  }
}
