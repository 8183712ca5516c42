import type { Step } from "./fetch-entry.ts";
import { isFirstPage, isWanted } from "./frontier.ts";
import type { Page } from "./pages/fetch-page.ts";
import type { HtmlPage } from "./pages/html-page.ts";
import { isFurtherPart, isTooLong, normalizeUrl } from "./pages/page-url.ts";

/** The canonical address, when it is another one that this crawl may list. */
export function canonicalOf(step: Step, page: Page, { canonical, base }: HtmlPage): string | null {
  const from = URL.parse(base ?? "", page.url.href) ?? page.url;
  const url = canonical === null ? null : URL.parse(canonical, from.href);
  if (url === null) return null;
  const target = normalizeUrl(url);
  const isItself = target.href === normalizeUrl(page.url).href;
  // https://developers.google.com/search/blog/2013/04/5-common-mistakes-with-relcanonical
  const isFirst = isFirstPage(step.crawl, target) && page.url.pathname !== target.pathname;
  if (isItself || isFirst || isFurtherPart(normalizeUrl(page.url), target)) return null;
  return !isTooLong(target) && isWanted(step.crawl, step.bounds, target) ? target.href : null;
}
