import cliProgress from "cli-progress";

export type Progress = {
  /** `done` of the total; `note` is printed after the bar. */
  update: (done: number, note?: string) => void;
  [Symbol.dispose]: () => void;
};

const STEPS_WITHOUT_TERMINAL = 4;

/** Names and texts of others may hold characters that command a terminal. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "");

/** A bar on a terminal; elsewhere (a pipe, a log) one line per quarter. */
export function openProgress(stream: NodeJS.WriteStream, label: string, total: number): Progress {
  return stream.isTTY ? bar(stream, label, total) : lines(stream, label, total);
}

/** Columns of `12345/12345` and the brackets; a line that does not fit is cut off. */
const COUNTS = 16;
const MAX_BAR = 30;
const MIN_BAR = 5;

function bar(stream: NodeJS.WriteStream, label: string, total: number): Progress {
  const half = Math.floor(stream.columns / 2);
  const shortened = label.length <= half ? label : `${label.slice(0, half - 1)}…`;
  const room = stream.columns - shortened.length - COUNTS;
  const progress = new cliProgress.SingleBar(
    {
      stream,
      format: `${shortened} [{bar}] {value}/{total} {note}`,
      barsize: Math.max(MIN_BAR, Math.min(MAX_BAR, room)),
      hideCursor: true,
      // The command handles Ctrl-C itself: it ends the Worker first.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  );
  progress.start(total, 0, { note: "" });
  return {
    update: (count, note = "") => progress.update(count, { note: printable(note) }),
    [Symbol.dispose]: () => progress.stop(),
  };
}

function lines(stream: NodeJS.WriteStream, label: string, total: number): Progress {
  let step = -1;
  return {
    update: (count, note = "") => {
      const reached = Math.floor((count / Math.max(1, total)) * STEPS_WITHOUT_TERMINAL);
      if (reached <= step) return;
      step = reached;
      stream.write(printable(`${label} ${count}/${total} ${note}`.trimEnd()) + "\n");
    },
    [Symbol.dispose]: () => undefined,
  };
}

const FIRST_SIGN_MS = 1_000;
const SIGN_EVERY_MS = 2_000;

/** A line after a second, then a dot every two seconds. Returns what ends it. */
export function showWaiting(stream: NodeJS.WritableStream, label: string): () => void {
  let dots: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    stream.write(`${label} .`);
    dots = setInterval(() => stream.write("."), SIGN_EVERY_MS);
  }, FIRST_SIGN_MS);
  return () => {
    clearTimeout(first);
    clearInterval(dots);
    if (dots !== undefined) stream.write("\n");
    dots = undefined;
  };
}

export async function whileWaiting<Result>(
  stream: NodeJS.WritableStream,
  label: string,
  work: Promise<Result>,
): Promise<Result> {
  const end = showWaiting(stream, label);
  try {
    return await work;
  } finally {
    end();
  }
}
