import { notFound } from "../../core/errors.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";
import { changedReaders, recordReaders } from "../readers/record-readers.ts";
import type { PushedSource } from "../readers/record-readers.ts";

/** Sets who may read a pushed file, without its bytes. @throws QuarryError `not-found` */
export async function setReaders(
  services: Pick<Services, "db" | "now" | "ragIndexes">,
  { source, path, readers }: { source: PushedSource; path: string; readers: string[] },
): Promise<void> {
  const file = await findFile(services.db, source.id, path);
  if (file === null || file.deletedAt !== null) throw notFound();
  const told = [{ path, newId: file.id, readers }];
  const changed = await changedReaders(source, told, new Map([[path, file]]));
  await recordReaders(services, source, changed);
}
