import type { FileSourceId } from "../../core/ids.ts";
import { filesOfDefault } from "../../db/files/reader-store.ts";
import type { Services } from "../../services.ts";
import { defaultReadersOf, recordReaders } from "./record-readers.ts";

const FILES_AT_ONCE = 1_000;

/** Gives the source's default to pushed files whose readers nobody told. */
export async function applyDefaultReaders(
  services: Services,
  source: {
    id: FileSourceId;
    provider: string;
    permissionsSince: number;
    defaultReaders: string[];
  },
): Promise<void> {
  const readers = source.defaultReaders.length === 0 ? null : defaultReadersOf(source);
  for (;;) {
    const files = await filesOfDefault(services.db, source, FILES_AT_ONCE);
    const recorded = files.map((id) => ({ id, readers, isNew: false }));
    await recordReaders(services, source, recorded);
    if (files.length < FILES_AT_ONCE) return;
  }
}
