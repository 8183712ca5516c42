import { setTimeout as pause } from "node:timers/promises";

import { dataOf, type PanelApi } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";
import type { Progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

const POLL_EVERY_MS = 250;
/** The share of the time without progress after which the index is looked at again. */
const POLLS_SHARE = 0.05;
/** Longer than any lease and any wait between two attempts at a file. */
export const STANDSTILL_MS = 15 * 60_000;
const FAILED_SHOWN = 100;

/**
 * Shows a bar until each file of the RAG is indexed or has failed.
 * @throws CommandFailure when nothing moves for so long
 */
export async function waitForIndex(
  api: PanelApi,
  id: string,
  terminal: Terminal,
  standstillMs = STANDSTILL_MS,
) {
  let progress: Progress | null = null;
  let moved = { done: -1, at: Date.now() };
  try {
    for (;;) {
      const rag = await dataOf(api.GET("/rags/{id}", { params: { path: { id } } }));
      const { totalFiles: total, processedFiles: indexed, failedFiles: failures } = rag;
      const vectors = rag.numberVectors;
      const finished = indexed + failures;
      if (finished !== moved.done) moved = { done: finished, at: Date.now() };
      if (finished < total) progress ??= terminal.progress("Indexing", total);
      progress?.update(
        finished,
        `${vectors} passages${failures > 0 ? `, ${failures} failed` : ""}`,
      );
      if (finished >= total) {
        return { total, indexed, vectors, failed: failures > 0 ? await failedFiles(api, id) : [] };
      }
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

export async function failedFiles(api: PanelApi, id: string) {
  const params = { path: { id }, query: { status: "error", limit: FAILED_SHOWN } as const };
  return (await dataOf(api.GET("/file-sources/{id}/files", { params }))).data;
}
