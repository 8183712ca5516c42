import { folderOf } from "../../core/folders.ts";
import type { FileVersion, WrittenVersion } from "../../ports/rag-index.ts";
import type { UpsertBatch } from "../../ports/vector-ledger.ts";
import { activateVersion } from "./activate-version.ts";
import { stage } from "./staging.ts";
import type { WriteContext } from "./write-context.ts";

/** Stages and activates versions of small files one after the other, inside one transaction. */
export function writeVersions(
  context: WriteContext,
  versions: FileVersion[],
  batch?: UpsertBatch,
): WrittenVersion[] {
  return versions.map(({ file, revision, staged, chunks }) => {
    const sent = batch === undefined ? undefined : { ...batch, folder: folderOf(file.path) };
    const stored = stage(context, file.fileId, revision, staged, sent);
    return { stored, activation: activateVersion(context, file, revision, chunks) };
  });
}
