import { notFound } from "../../core/errors.ts";
import { principalsOf, type Principal } from "../../core/principals.ts";
import { readerFacts } from "../../db/access/member-store.ts";
import { findFileReaders } from "../../db/files/reader-store.ts";
import type { Services } from "../../services.ts";
import { namedReaders } from "../../sources/audiences.ts";
import type { FileSource } from "./find-file-source.ts";

type Source = FileSource["source"];

/** Who may read a file, where each comes from and since when that is known. @throws `not-found` */
export async function fileReaders(
  { db }: Pick<Services, "db">,
  { source, path }: { source: Source; path: string },
) {
  const file = await findFileReaders(db, source.id, path);
  if (file === null) throw notFound();
  const { permissions, permissionsSince: since, defaultReaders } = source;
  const { audience, readersRevision: at } = file;
  const isKnown = audience !== null && at >= since;
  return {
    permissions,
    readers: isKnown ? namedReaders(audience, defaultReaders) : null,
    unreadable: isKnown ? audience.unreadable : null,
    readAt: isKnown ? at : null,
  };
}

/** Whether a person may read a file, and what lets that person in. @throws `not-found` */
export async function checkReader(
  services: Pick<Services, "db">,
  change: { source: Source; path: string; reader: string; groups: string[] },
): Promise<{ mayRead: boolean; by: Principal | null; from: string | null }> {
  const { readers, permissions } = await fileReaders(services, change);
  if (permissions === "off") return { mayRead: true, by: null, from: null };
  const own = principalsOf({ user: change.reader, groups: change.groups });
  const { groups } = await readerFacts(services.db, [change.source.id], own);
  const all = new Set([...own, ...(groups.get(change.source.id) ?? [])]);
  const by = readers?.find(({ principal }) => all.has(principal)) ?? null;
  return { mayRead: by !== null, by: by?.principal ?? null, from: by?.from ?? null };
}
