import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

/** wrangler's banner, build steps and hints. */
const NOISE =
  /⛅|^─+$|^\[custom build\]|^Using secrets|^⎔|Scheduled Workers are not automatically|To manually trigger a scheduled event|cdn-cgi\/local\/scheduled|For more details, see .*cron-triggers|\[wrangler:info\] QUEUE/;
const BINDINGS = /^Your Worker has access to the following bindings/;
const READY = /Ready on (http\S+)/;

/**
 * Passes on what `wrangler dev` prints, without its banner, hints, the table of bindings (which it
 * prints twice) and empty lines. `ready` is called once with the address.
 */
export function passOutput(
  from: Readable,
  to: NodeJS.WritableStream,
  ready: (url: string) => void,
): void {
  let isTable = false;
  let isReady = false;
  createInterface({ input: from }).on("line", (raw) => {
    const line = stripVTControlCharacters(raw).trim();
    if (BINDINGS.test(line)) isTable = true;
    if (line === "") isTable = false;
    if (isTable || line === "" || NOISE.test(line)) return;
    const [, url] = READY.exec(line) ?? [];
    if (url === undefined) to.write(`${raw}\n`);
    else if (!isReady) ready(url);
    isReady ||= url !== undefined;
  });
}
