import { sha256Hex } from "../core/hash.ts";
import type { FileSourceId } from "../core/ids.ts";
import { EVERYONE, principalOf } from "../core/principals.ts";
import { recordDefaultSql, type Audience } from "../db/files/reader-store.ts";
import type { Sql } from "../db/sql.ts";
import type { FileReaders } from "../ports/source-reader.ts";
import { manifestOf, takenBy } from "./registry.ts";

const MAX_REASON_LENGTH = 300;

/** The same readers in any order, from the same places, are one audience. */
export async function audienceOf(told: FileReaders): Promise<Audience> {
  const unreadable = "unreadable" in told ? told.unreadable.slice(0, MAX_REASON_LENGTH) : null;
  const from = new Map<string, string>();
  for (const reader of "unreadable" in told ? [] : told.principals) {
    const principal = principalOf(reader.principal);
    if (principal !== null && !from.has(principal)) from.set(principal, reader.from);
  }
  const readers = Array.from(from, ([principal, of]) => ({ principal, from: of })).sort((a, b) =>
    a.principal < b.principal ? -1 : 1,
  );
  const id = await sha256Hex(JSON.stringify([readers, unreadable]));
  return { id, readers, unreadable };
}

/** Where readers come from whom nobody told. */
export const DEFAULT = "default";

/** What a source's files have whose readers are not told; the pages of a web site are public. */
export function defaultReadersOf(source: {
  provider: string;
  defaultReaders: string[];
}): FileReaders {
  const { provider, defaultReaders } = source;
  const isPublic = defaultReaders.length === 0 && takenBy(provider) === "addresses";
  const principals = isPublic ? [EVERYONE] : defaultReaders;
  return { principals: principals.map((principal) => ({ principal, from: DEFAULT })) };
}

export type DefaultSource = {
  id: FileSourceId;
  provider: string;
  config: unknown;
  permissionsSince: number;
  defaultReaders: string[];
};

/**
 * Statements that give the source's default to the files that have another one. Whoever pushes
 * files may name no readers at all: those have the default, too.
 */
export async function defaultReadersSql(source: DefaultSource, now: number): Promise<Sql[]> {
  const { id, defaultReaders, permissionsSince } = source;
  const isPushed = manifestOf(source).open === null;
  const isNobody = isPushed && defaultReaders.length === 0;
  const audience = isNobody ? null : await audienceOf(defaultReadersOf(source));
  return recordDefaultSql(id, audience, { now: Math.max(now, permissionsSince), isPushed });
}
