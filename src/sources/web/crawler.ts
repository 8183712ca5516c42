import type { Now } from "../../core/time.ts";
import type { Outgoing } from "../guarded-fetch.ts";
import type { Crawl } from "./crawl-state.ts";

export const USER_AGENT = "Quarry/1.0 (document indexer)";
export const ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5";

/** What one call of the reader fetches with. */
export type Crawler = {
  outgoing: Outgoing;
  now: Now;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  pageTimeoutMs: number;
  crawl: Crawl;
  /** Servers whose robots.txt is being read, by origin. */
  loadingSites: Map<string, Promise<void>>;
};
