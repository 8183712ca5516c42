import type { FileId } from "../../core/ids.ts";
import { deleteChunks } from "./remove-chunks.ts";
import { withSuccession } from "./duplicates.ts";
import { findOrAddFile, markRemoved } from "./files.ts";
import type { WriteContext } from "./write-context.ts";
import { chunksOf, select } from "../tables.ts";
import { addToTotals } from "../totals.ts";
import { forgetFolders } from "../vectors/vector-folders.ts";

/**
 * Removes a file from every answer and keeps its row as removed, even if it had no content: a job
 * in progress must find that row. Content staged by a later revision stays. Called inside a
 * transaction.
 */
function removeFile(
  context: WriteContext,
  { fileId, revision }: { fileId: FileId; revision: number },
): void {
  const { sql, change } = context;
  const file = findOrAddFile(sql, fileId);
  if (revision < file.revision) return;
  const columns = ["chunk" as const, "id" as const, "live" as const, "duplicate_key" as const];
  const own = "WHERE file = ? AND (live = 1 OR revision <= ?)";
  const leaving = select(sql, "chunks", columns, own, file.file, revision);
  const live = leaving.filter((chunk) => chunk.live === 1);
  const keys = live.map(({ duplicate_key: key }) => key);
  const marks = withSuccession(sql, { keys, entering: [] }, () => deleteChunks(context, leaving));
  change.left.push(...chunksOf(live));
  change.marks.push(...marks);
  if (file.state === "live") addToTotals(sql, { files: -1, hiddenFiles: -file.hidden });
  markRemoved(sql, file.file, revision);
  forgetFolders(sql, file.file);
}

export function remove(context: WriteContext, files: { fileId: FileId; revision: number }[]): void {
  for (const file of files) removeFile(context, file);
}
