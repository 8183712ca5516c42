import { MINUTE_MS } from "../core/time.ts";

/** How much the clock of a server that answers so differs from ours, ms; 0: it does not say. */
export function skewOf({ headers }: Response, nowMs: number): number {
  const serverMs = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(serverMs) ? 0 : Math.abs(nowMs - serverMs);
}

/** Tells a person why a signature is refused. */
export function clocksDiffer(server: string, skewMs: number): string {
  const minutes = skewMs < MINUTE_MS ? "" : ` by ${Math.round(skewMs / MINUTE_MS)} minutes`;
  return `the clocks of ${server} and of this service differ${minutes}`;
}
