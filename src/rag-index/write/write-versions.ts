import { folderOf } from "../../core/folders.ts";
import type { FileVersion, WrittenVersion } from "../../ports/index-versions.ts";
import type { UpsertBatch } from "../../ports/vector-ledger.ts";
import { activateVersion } from "./activate-version.ts";
import { writeNewFile } from "./new-file.ts";
import { stage } from "./staging.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Stores and activates versions of small files one after the other, inside one transaction. Where
 * vectors are sent to a vector index, a file may have to wait for room: it is staged before.
 */
export function writeVersions(
  context: WriteContext,
  versions: FileVersion[],
  batch?: UpsertBatch,
): WrittenVersion[] {
  return versions.map((version) => {
    const written = batch === undefined ? writeNewFile(context, version) : null;
    if (written !== null) return written;
    const { file, revision, staged, chunks } = version;
    const sent = batch === undefined ? undefined : { ...batch, folder: folderOf(file.path) };
    const stored = stage(context, file.fileId, revision, staged, sent);
    return { stored, activation: activateVersion(context, file, revision, chunks) };
  });
}
