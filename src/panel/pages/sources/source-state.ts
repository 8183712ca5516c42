import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import type { ScanRun } from "../../../db/scans/run-pages.ts";
import { counted } from "../../components/figures.ts";
import type { FileCounts, Tone } from "../../components/status.tsx";

/** Seconds between two looks while something is under way, and while nothing is. */
export const BUSY_SECONDS = 3;
export const IDLE_SECONDS = 20;

export const isUnderWay = ({ pending, processing }: FileCounts) => pending + processing > 0;

/** Whether a scan is running now. */
export const isScanning = ({ source }: SourceWithScan, now: number) =>
  source.scanClaimedUntil !== null && source.scanClaimedUntil > now;

/** How a run ended, as a dot's tone and a word. */
export function runState(run: Pick<ScanRun, "error" | "finishedAt" | "heldRemovals" | "failed">): {
  tone: Tone;
  word: string;
} {
  if (run.error !== null) return { tone: "bad", word: "failed" };
  if (run.finishedAt === null) return { tone: "work", word: "under way" };
  if (run.heldRemovals > 0) return { tone: "warn", word: "removals held back" };
  if (run.failed > 0) return { tone: "warn", word: `${counted(run.failed, "file")} not read` };
  return { tone: "ok", word: "done" };
}
