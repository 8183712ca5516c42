import type { CallNotes } from "./calls/call-record.ts";
import { reasonOf } from "./errors.ts";

/** Facts of a log line. Never a secret, a token, a prompt or document text. */
export type LogFacts = Record<string, Fact | Record<string, Fact>>;
export type Fact = string | number | boolean | null | undefined;

export interface Log {
  info(event: string, facts?: LogFacts): void;
  warn(event: string, facts?: LogFacts): void;
  error(event: string, facts?: LogFacts): void;
  /** Adds facts such as `requestId` to every line. */
  with(facts: LogFacts): Log;
  /** For the request log; absent: there is no request. */
  note?(notes: CallNotes): void;
}

type Level = "info" | "warn" | "error";

/** Writes a line to the log of a Worker, which is its standard output on this machine. */
export const writeToConsole = (level: Level, line: string): void =>
  // oxlint-disable-next-line no-console -- a Worker has no other way
  console[level](line);

/** One JSON object per line. */
export function jsonLog(write = writeToConsole, base: LogFacts = {}): Log {
  const line = (level: Level, event: string, facts?: LogFacts) =>
    write(level, JSON.stringify({ level, event, ...base, ...facts }));
  return {
    info: (event, facts) => line("info", event, facts),
    warn: (event, facts) => line("warn", event, facts),
    error: (event, facts) => line("error", event, facts),
    with: (facts) => jsonLog(write, { ...base, ...facts }),
  };
}

/** Whether the work was done; what it throws becomes a line with these facts and the reason. */
export async function attempt(
  log: Log,
  event: string,
  facts: LogFacts,
  work: () => Promise<unknown>,
  level: Level = "error",
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    log[level](event, { ...facts, reason: reasonOf(thrown) });
    return false;
  }
}
