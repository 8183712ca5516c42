import { readFile } from "node:fs/promises";

import { CommandFailure } from "./failure.ts";

/** The text of a JSON Schema. @throws CommandFailure when there is no JSON at the path */
export async function readSchema(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    throw new CommandFailure(`The schema ${path} ${whyUnread(thrown)}.`);
  });
  try {
    JSON.parse(text);
  } catch {
    throw new CommandFailure(`The schema ${path} is not JSON.`);
  }
  return text;
}

function whyUnread(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
  if (code === "ENOENT") return "does not exist";
  return code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
}
