import { basename, join } from "node:path";

import { IDENTIFIER_MAX_LENGTH, identifierFrom } from "../../core/ids.ts";
import { PROJECT } from "../installation.ts";
import type { DemoState } from "./demo-state.ts";

export const SAMPLE_FOLDER = join(PROJECT, "src/cli/sample");

/** The folder that `npm start` indexes, and the names of its resources. */
export type Subject = { folder: string; identifier: string; name: string };

const SUFFIX_LENGTH = 4;

/** The sample, or a folder of the user under an identifier of its own. */
export function subjectOf(folder: string, known: DemoState["folders"]): Subject {
  if (folder === SAMPLE_FOLDER) {
    return { folder, identifier: "sample", name: "Fenwright handbook (sample)" };
  }
  const name = basename(folder) || "Documents";
  const wanted = identifierFrom(name).slice(0, IDENTIFIER_MAX_LENGTH - SUFFIX_LENGTH);
  const base = wanted.replace(/-+$/, "") || "documents";
  for (let count = 1; ; count++) {
    const identifier = count === 1 ? base : `${base}-${count}`;
    const owner = identifier === "sample" ? SAMPLE_FOLDER : known[identifier];
    if (owner === undefined || owner === folder) return { folder, identifier, name };
  }
}
