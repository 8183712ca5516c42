import type { WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { parsedJson } from "../../core/input/parsed-json.ts";
import { isObject } from "../../core/is-object.ts";

/** The first line of a wrangler message, which continues up to an empty line. */
const WRANGLER_ERROR = /^\s*✘ \[ERROR\]\s*/;
/** Messages of the runtime that look alarming and are harmless here. */
const NOISE = /kj\/|workerd\/.*disconnected|Address already in use.*inspector/;

/** Errors go to `tell`, one readable line each. A file that cannot be written ends nothing. */
export function followWorkerLog(
  streams: Readable[],
  file: WriteStream,
  tell: (line: string) => void,
): void {
  let open = streams.length;
  file.once("error", ({ message }) => {
    tell(
      `The log cannot be written: ${message} (${String(file.path)}). The next start tries again.`,
    );
  });
  for (const stream of streams) {
    const lines = createInterface({ input: stream });
    lines.on("line", (raw) => {
      const line = stripVTControlCharacters(raw);
      if (file.writable) file.write(`${line}\n`);
      const readable = readableError(line);
      if (readable !== null) tell(readable);
    });
    lines.on("close", () => {
      if (--open === 0 && file.writable) file.end();
    });
  }
}

/** Null for lines that are not for people. The Worker logs JSON; wrangler marks its errors. */
export function readableError(line: string): string | null {
  const said = line.replace(WRANGLER_ERROR, "");
  if (!said.startsWith("{")) {
    return said === line || NOISE.test(said) ? null : `wrangler: ${said}`;
  }
  const parsed = parsedJson(said);
  if (!isObject(parsed) || parsed["level"] !== "error") return null;
  const { level: _, event, ...facts } = parsed;
  const words = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
  return `worker: ${String(event)} ${words.join(" ")}`.trimEnd();
}

const BANNER =
  /⛅|^─+$|^\[custom build\]|^✨ Read|^--dry-run|^Using secrets|^⎔|Scheduled Workers are not automatically|To manually trigger a scheduled event|cdn-cgi\/local\/scheduled|For more details, see .*cron-triggers|\[wrangler:info\] QUEUE/;
const BINDINGS = /^Your Worker has access to the following bindings/;
const READY = /Ready on (http\S+)/;

/** Leaves out wrangler's banner, hints, tables of bindings and empty lines, one line after the other. */
function noiseFilter(): (line: string) => boolean {
  let isTable = false;
  return (raw) => {
    const line = stripVTControlCharacters(raw).trim();
    if (BINDINGS.test(line)) isTable = true;
    if (line === "") isTable = false;
    return !isTable && line !== "" && !BANNER.test(line);
  };
}

export const withoutNoise = (text: string) => text.split("\n").filter(noiseFilter());

/** Passes on what `wrangler dev` prints, without noise. `ready` is called once with the address. */
export function passOutput(
  from: Readable,
  to: NodeJS.WritableStream,
  ready: (url: string) => void,
): void {
  const isShown = noiseFilter();
  let isReady = false;
  createInterface({ input: from }).on("line", (raw) => {
    if (!isShown(raw)) return;
    const [, url] = READY.exec(stripVTControlCharacters(raw)) ?? [];
    if (url === undefined) to.write(`${raw}\n`);
    else if (!isReady) ready(url);
    isReady ||= url !== undefined;
  });
}
