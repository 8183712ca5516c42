import { sha256Hex } from "../core/hash.ts";
import { DEFAULT, EVERYONE, principalOf, PUBLIC } from "../core/principals.ts";
import type { Audience } from "../db/files/reader-store.ts";
import type { FileReaders } from "../ports/source-reader.ts";
import { pushKind } from "./registry.ts";

const MAX_REASON_LENGTH = 300;

/** Equal readers in any order, from equal places, are one audience. */
export async function audienceOf(fileReaders: FileReaders): Promise<Audience> {
  const unreadable =
    "unreadable" in fileReaders ? fileReaders.unreadable.slice(0, MAX_REASON_LENGTH) : null;
  const from = new Map<string, string>();
  for (const reader of "unreadable" in fileReaders ? [] : fileReaders.principals) {
    const isDefault = reader.from === DEFAULT;
    const principal = isDefault ? reader.principal : principalOf(reader.principal);
    if (principal !== null && !from.has(principal)) from.set(principal, reader.from);
  }
  const readers = Array.from(from, ([principal, origins]) => ({ principal, from: origins })).sort(
    (a, b) => (a.principal < b.principal ? -1 : 1),
  );
  const id = await sha256Hex(JSON.stringify([readers, unreadable]));
  return { id, readers, unreadable };
}

const defaultReader = (principal: string): FileReaders => {
  return { principals: [{ principal, from: DEFAULT }] };
};
/** The readers of files for which none are named. */
export const DEFAULT_READERS = defaultReader(DEFAULT);
/** The readers of a source's files that it names none for; pages of a web site are public. */
export const defaultReadersOf = ({ provider }: { provider: string }): FileReaders =>
  pushKind(provider) === "addresses" ? defaultReader(PUBLIC) : DEFAULT_READERS;

/** An audience's readers, with a source's default readers in place of what stands for them. */
export const namedReaders = ({ readers }: Pick<Audience, "readers">, defaults: string[]) =>
  readers.flatMap((reader) => {
    if (reader.from !== DEFAULT) return [reader];
    const isEveryone = reader.principal === PUBLIC && defaults.length === 0;
    const defaultNames = isEveryone ? [EVERYONE] : defaults;
    return defaultNames.map((principal) => ({ principal, from: DEFAULT }));
  });
