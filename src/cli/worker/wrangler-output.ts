import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

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
