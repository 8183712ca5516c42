import { timeIn } from "../../../core/time.ts";
import type { HtmlPage } from "./html-page.ts";

/** A time as pages and sitemaps write it, often without a zone: then UTC. Null: it is none. */
export const pageTime = (text: string): number | null => timeIn(text) ?? timeIn(`${text}Z`);

type Told = {
  facts: Pick<HtmlPage, "modified"> | null;
  /** Of the sitemap. */
  mapped: number | undefined;
  lastModified: string | null;
};

/** When a page was last changed, ms: as it says itself, else its sitemap, else its server. */
export function pageModifiedAt({ facts, mapped, lastModified }: Told): number | null {
  const own = facts?.modified.map(pageTime).find((ms) => ms !== null);
  const ofServer = Date.parse(lastModified ?? "");
  return own ?? mapped ?? (Number.isNaN(ofServer) ? null : ofServer);
}
