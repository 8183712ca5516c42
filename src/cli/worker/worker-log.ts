import { appendFileSync, renameSync, statSync, truncateSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { messageOf } from "../../core/errors.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { OWNER_ONLY } from "./state-files.ts";

/** A larger log is renamed to worker.log.1, in place of the one before. */
const MAX_LOG_BYTES = 10 * 1024 ** 2;
const LAST_LINES = 15;

type LogLine = Record<string, unknown>;

/**
 * Writes the lines of workerd to a file that outlives restarts, each as JSON with a time. Errors
 * go to `tell`, one readable line each. While the file cannot be written, lines are lost, and each
 * piece of output tries again. Returns the last lines, and the last reason for a failure.
 */
export function followWorkerLog(
  streams: Readable[],
  path: string,
  tell: (line: string) => void,
  maxBytes = MAX_LOG_BYTES,
) {
  const last: string[] = [];
  let lastReason = "";
  const append = appender(path, maxBytes, tell);
  for (const stream of streams) {
    createInterface({ input: stream }).on("line", (raw) => {
      const line = logLine(raw);
      const { reason } = line;
      if (typeof reason === "string") lastReason = reason;
      const readable = readableError(line);
      if (readable !== null) tell(readable);
      const text = JSON.stringify(line);
      last.push(text);
      if (last.length > LAST_LINES) last.shift();
      append(`${text}\n`);
    });
  }
  return { lastLines: () => last, lastReason: () => lastReason };
}

function appender(path: string, maxBytes: number, tell: (line: string) => void) {
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let isFailing = false;
  return (line: string) => {
    try {
      if (bytes >= maxBytes) {
        renameSync(path, `${path}.1`);
        bytes = 0;
      }
      appendFileSync(path, line, { mode: OWNER_ONLY });
      bytes += Buffer.byteLength(line);
      isFailing = false;
    } catch (thrown) {
      if (!isFailing) tell(`The log cannot be written: ${messageOf(thrown)} (${path}).`);
      isFailing = true;
      removePart(path, bytes);
    }
  };
}

/** A full disk may hold the beginning of a line. */
function removePart(path: string, bytes: number): void {
  try {
    truncateSync(path, bytes);
  } catch {
    // The next line tries to write again.
  }
}

/** As the Worker logged it, with the time that workerd gave it; a line of workerd itself is an event. */
function logLine(raw: string): LogLine {
  const parsed = parseJson(raw);
  const { timestamp, message = raw, ...facts } = isObject(parsed) ? parsed : {};
  const at = new Date(timestamp === undefined ? Date.now() : Number(timestamp));
  const logged = typeof message === "string" ? parseJson(message) : null;
  const event = isObject(logged) ? logged : { level: "warn", event: "workerd", ...facts, message };
  return { time: at.toISOString(), ...event };
}

const THROWN_INTO_WORKER = "jsgInternalError";
const NOT_FACTS = new Set(["time", "level", "event"]);

/** Null for lines that are not for people. */
function readableError(line: LogLine): string | null {
  // The Worker reports what workerd throws into it, such as a name that cannot be looked up.
  if (line["level"] !== "error" || String(line["message"]).includes(THROWN_INTO_WORKER))
    return null;
  const facts = Object.entries(line).filter(([name]) => !NOT_FACTS.has(name));
  const words = facts.map(([name, value]) => `${name}=${String(value)}`);
  const [first = ""] = `worker: ${String(line["event"])} ${words.join(" ")}`.split("\n");
  return first.trimEnd();
}
