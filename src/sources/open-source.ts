import type { SourceReader, SourceSettings } from "../ports/source-reader.ts";
import type { Services } from "../services.ts";
import { knownFilesOf } from "./known-files.ts";
import { readerStore } from "./reader-store.ts";
import { manifestOf } from "./registry.ts";
import { openConfig } from "./source-secrets.ts";

/**
 * The reader of a source; null for one that only receives what is pushed.
 * @throws SourceFailure `denied` when its settings or secrets cannot be used
 */
export async function openSource(
  { config, db, files, now }: Pick<Services, "config" | "db" | "files" | "now">,
  source: SourceSettings,
): Promise<SourceReader | null> {
  const { open } = manifestOf(source);
  if (open === null) return null;
  return await open(await openConfig(config, source), {
    outgoing: {
      // Called as a method of anything else, the platform's fetch refuses.
      fetch: async (url, request) => await fetch(url, request),
      allowPrivate: config.ALLOW_PRIVATE_URLS,
    },
    store: readerStore(files, source.id),
    known: knownFilesOf(db, source.id),
    now,
    bucket: files,
  });
}
