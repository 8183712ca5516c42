import type { Child } from "hono/jsx";

import type { FileStatus as State } from "../../db/schema/rags.ts";
import { countText, percent } from "./figures.ts";

export type Tone = "ok" | "work" | "warn" | "bad" | "off";

/** A dot and a word: nothing depends on the colour alone. */
export const Status = ({ tone, children }: { tone: Tone; children: Child }) => (
  <span class="status">
    <span class={`dot ${tone}`}></span>
    {children}
  </span>
);

export const FILE_STATES: Record<State, [tone: Tone, word: string]> = {
  pending: ["work", "waiting"],
  processing: ["work", "being read"],
  indexed: ["ok", "indexed"],
  error: ["bad", "failed"],
  deleted: ["off", "deleted"],
};

/** The status of a file; null: no RAG indexes it. */
export const FileStatus = ({ status }: { status: State | null }) => {
  const [tone, word]: [Tone, string] = status === null ? ["off", "in no RAG"] : FILE_STATES[status];
  return <Status tone={tone}>{word}</Status>;
};

export type FileCounts = { pending: number; processing: number; indexed: number; error: number };

export const StatusBar = ({ counts }: { counts: FileCounts }) => {
  const { indexed, error } = counts;
  const underWay = counts.pending + counts.processing;
  const total = indexed + underWay + error;
  if (total === 0) return null;
  const parts = [
    { tone: "ok", files: indexed },
    { tone: "work", files: underWay },
    { tone: "bad", files: error },
  ];
  return (
    <svg
      class="bar"
      viewBox={`0 0 ${total} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={inWords(counts)}
    >
      <title>{inWords(counts)}</title>
      {parts.map(({ tone, files }, at) => (
        <rect
          class={tone}
          x={parts.slice(0, at).reduce((sum, part) => sum + part.files, 0)}
          width={files}
          height={1}
        />
      ))}
    </svg>
  );
};

/** "4,809 of 4,812 files indexed, 3 failed". */
export function inWords({ pending, processing, indexed, error }: FileCounts): string {
  const underWay = pending + processing;
  const total = indexed + underWay + error;
  if (total === 0) return "no files";
  const rest = [
    ...(underWay === 0 ? [] : [`${percent(underWay, total)} under way`]),
    ...(error === 0 ? [] : [`${countText(error, "file")} failed`]),
  ];
  const head = rest.length === 0 ? "all indexed" : `${percent(indexed, total)} indexed`;
  return [head, ...rest].join(", ");
}
