import { setTimeout as pause } from "node:timers/promises";

import { dataOf, type PanelApi, type SourceFile } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

const POLL_EVERY_MS = 250;
/** Longer than any lease and any wait between two attempts at a file. */
const STANDSTILL_MS = 15 * 60_000;
const FAILED_SHOWN = 100;

export type Indexed = { total: number; indexed: number; vectors: number; failed: SourceFile[] };

/**
 * Shows a bar until each file of the RAG is indexed or has failed.
 * @throws CommandFailure when nothing moves for a quarter of an hour, or every file failed.
 */
export async function waitForIndex(
  api: PanelApi,
  identifier: string,
  terminal: Terminal,
): Promise<Indexed> {
  const first = await countsOf(api, identifier);
  if (isFinished(first)) return outcome(api, identifier, first);
  const progress = terminal.progress("Indexing", first.total);
  try {
    return await outcome(api, identifier, await watchCounts(api, identifier, progress));
  } finally {
    progress.stop();
  }
}

type Counts = { total: number; indexed: number; failed: number; vectors: number };

const isFinished = ({ total, indexed, failed }: Counts) => indexed + failed >= total;

async function countsOf(api: PanelApi, id: string): Promise<Counts> {
  const [rag, failing] = await Promise.all([
    dataOf(api.GET("/rags/{id}", { params: { path: { id } } })),
    failedFiles(api, id, 1),
  ]);
  return {
    total: rag.totalFiles,
    indexed: rag.processedFiles,
    failed: failing.total,
    vectors: rag.numberVectors,
  };
}

/** The first failed files of a source, and how many there are. */
const failedFiles = (api: PanelApi, id: string, limit: number) =>
  dataOf(
    api.GET("/file-sources/{id}/files", {
      params: { path: { id }, query: { status: "error", limit } },
    }),
  );

async function watchCounts(
  api: PanelApi,
  identifier: string,
  progress: ReturnType<Terminal["progress"]>,
): Promise<Counts> {
  let movedAt = Date.now();
  let before = -1;
  for (;;) {
    const counts = await countsOf(api, identifier);
    const done = counts.indexed + counts.failed;
    if (done !== before) movedAt = Date.now();
    before = done;
    progress.setTotal(counts.total);
    progress.update(done, noteOf(counts));
    if (isFinished(counts)) return counts;
    if (Date.now() - movedAt > STANDSTILL_MS) {
      throw new CommandFailure(`Indexing has stopped at ${done} of ${counts.total} files.`);
    }
    await pause(POLL_EVERY_MS);
  }
}

function noteOf({ failed, vectors }: Counts): string {
  return failed > 0 ? `${vectors} vectors, ${failed} failed` : `${vectors} vectors`;
}

async function outcome(api: PanelApi, identifier: string, counts: Counts): Promise<Indexed> {
  const { total, indexed, vectors } = counts;
  const failed = counts.failed === 0 ? [] : (await failedFiles(api, identifier, FAILED_SHOWN)).data;
  if (total > 0 && indexed === 0) {
    const [first] = failed;
    throw new CommandFailure(
      `None of the ${total} files could be indexed. ${first?.filePath ?? ""}: ${first?.errorMessage ?? "no reason given"}`,
    );
  }
  return { total, indexed, vectors, failed };
}
