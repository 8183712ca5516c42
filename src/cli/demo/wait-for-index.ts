import { setTimeout as pause } from "node:timers/promises";

import { dataOf, type PanelApi, type SourceFile } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";
import type { Progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

const POLL_EVERY_MS = 250;
/** The share of the time without progress after which the index is looked at again. */
const POLLS_SHARE = 0.05;
/** Longer than any lease and any wait between two attempts at a file. */
export const STANDSTILL_MS = 15 * 60_000;
const FAILED_SHOWN = 100;

type Counts = { total: number; indexed: number; failed: number; vectors: number };
type Indexed = Omit<Counts, "failed"> & { failed: SourceFile[] };

/**
 * Shows a bar until each file of the RAG is indexed or has failed.
 * @throws CommandFailure when nothing moves for so long, or every file failed
 */
export async function waitForIndex(
  api: PanelApi,
  id: string,
  terminal: Terminal,
  standstillMs = STANDSTILL_MS,
): Promise<Indexed> {
  const counts = await finishedCounts(api, id, terminal, standstillMs);
  const failed = counts.failed === 0 ? [] : (await failedFiles(api, id)).data;
  const { total, indexed } = counts;
  if (total === 0 || indexed > 0) return { ...counts, failed };
  const { filePath = "", errorMessage = null } = failed[0] ?? {};
  const why = errorMessage ?? "no reason given";
  throw new CommandFailure(`None of the ${total} files could be indexed. ${filePath}: ${why}`);
}

/** @throws CommandFailure when nothing moves for so long */
export async function finishedCounts(
  api: PanelApi,
  id: string,
  terminal: Terminal,
  standstillMs = STANDSTILL_MS,
): Promise<Counts> {
  let progress: Progress | null = null;
  let moved = { done: -1, at: Date.now() };
  try {
    for (;;) {
      const counts = await countsOf(api, id);
      const { total, failed, vectors } = counts;
      const finished = counts.indexed + failed;
      if (finished !== moved.done) moved = { done: finished, at: Date.now() };
      if (finished < total) progress ??= terminal.progress("Indexing", total);
      progress?.update(finished, `${vectors} passages${failed > 0 ? `, ${failed} failed` : ""}`);
      if (finished >= total) return counts;
      if (Date.now() - moved.at > standstillMs) {
        throw new CommandFailure(`Indexing has stopped at ${finished} of ${total} files.`);
      }
      // An index that does not move is looked at less and less often.
      await pause(Math.max(POLL_EVERY_MS, (Date.now() - moved.at) * POLLS_SHARE));
    }
  } finally {
    progress?.[Symbol.dispose]();
  }
}

async function countsOf(api: PanelApi, id: string): Promise<Counts> {
  const [rag, failing] = await Promise.all([
    dataOf(api.GET("/rags/{id}", { params: { path: { id } } })),
    failedFiles(api, id, 1),
  ]);
  const { totalFiles: total, processedFiles: indexed, numberVectors: vectors } = rag;
  return { total, indexed, failed: failing.total, vectors };
}

export const failedFiles = (api: PanelApi, id: string, limit = FAILED_SHOWN) => {
  const params = { path: { id }, query: { status: "error", limit } as const };
  return dataOf(api.GET("/file-sources/{id}/files", { params }));
};
