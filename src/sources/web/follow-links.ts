import { toBatches } from "../../core/work/batches.ts";
import { yieldNow } from "../../core/work/cooperative.ts";
import type { Step, Subject } from "./fetch-entry.ts";
import { addLink, addTooDeep } from "./frontier.ts";
import type { HtmlPage } from "./pages/html-page.ts";
import type { RobotsDirectives } from "./site/robots.ts";

const ENDLESS = "left out: too long, or one of an endless series, such as pages of a calendar";

/** Links taken in between two turns of other work: each is compared with all patterns. */
const LINKS_AT_ONCE = 100;

export async function followLinks(
  step: Step,
  { entry }: Subject,
  url: URL,
  { links, base, generator }: HtmlPage,
  { noFollow }: RobotsDirectives,
): Promise<void> {
  const { crawl, bounds } = step;
  if (noFollow || crawl.isLook || entry.found === "pushed") return;
  const from = { url: URL.parse(base ?? "", url.href) ?? url, depth: entry.depth, generator };
  const isTooDeep = entry.depth >= bounds.maxDepth;
  // A source of sitemaps alone follows no links.
  if (isTooDeep && crawl.folders.size === 0) return;
  const add = isTooDeep ? addTooDeep : addLink;
  const dropped: string[] = [];
  for (const batch of toBatches(links, LINKS_AT_ONCE)) {
    dropped.push(...batch.flatMap((link) => add(crawl, bounds, link, from) ?? []));
    await yieldNow();
  }
  const [first] = dropped;
  step.out.skipped += dropped.length;
  // The crawl names one: few problems are kept, and a calendar must hide no page that failed.
  if (first === undefined || crawl.toldEndless) return;
  crawl.toldEndless = true;
  step.out.problems.push({ path: first, message: ENDLESS });
}
