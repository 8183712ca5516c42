import type { KnownFiles, ListedFile, ListingPage } from "../../ports/source-reader.ts";
import type { ReaderStore } from "../../ports/source-reader.ts";
import type { Crawler, FoundBy, Waiting } from "./crawl-state.ts";
import type { Bounds } from "./frontier.ts";
import { fetchPage, type Fetched, type Validators } from "./pages/fetch-page.ts";
import { normalizeUrl } from "./pages/page-url.ts";

/** What one call of the reader works on and returns. */
export type Step = Crawler & {
  bounds: Bounds;
  store: ReaderStore;
  known: KnownFiles;
  out: Required<Pick<ListingPage, "files" | "deleted" | "partial" | "skipped" | "problems">>;
};

/** An address with what earlier scans know of it. A pushed URL stays one, however it is found again. */
export type Subject = { entry: Waiting; known: ListedFile | null; found: FoundBy };

export const subjectOf = (entry: Waiting, known: ListedFile | null): Subject => ({
  entry,
  known,
  found: isPushed(known) ? "pushed" : entry.found,
});

export const isPushed = (known: ListedFile | null) => known?.sourceState?.["pushed"] === true;

export const findKnown = async ({ known }: Step, path: string): Promise<ListedFile | null> =>
  (await known.byPath([path]))[0] ?? null;

export const takesPushesOf = ({ pushHosts }: Bounds, { hostname }: URL) =>
  pushHosts === null || pushHosts.has(hostname);

/** `alone`: nothing else is being read, so that the page may be large. */
export async function fetchEntry(step: Step, subject: Subject, alone: boolean): Promise<Fetched> {
  const { url, kind, found } = subject.entry;
  return await fetchPage(step, new URL(url), {
    validatorsOf: async (hop) => validatorsOf(await knownAt(step, subject, hop)),
    anyType: kind === "map" || found !== "link",
    refuse: (hop) => refusedHop(step, subject, hop),
    alone,
  });
}

/** What is known of the address that is asked now; a redirect leads to another file's. */
async function knownAt(step: Step, { entry, known, found }: Subject, hop: URL) {
  // What was pushed is fetched whole, even where nothing says that it changed.
  if (step.crawl.isLook || entry.kind === "map") return null;
  if (hop.href === entry.url || found === "pushed") return known;
  return await findKnown(step, normalizeUrl(hop).href);
}

function validatorsOf(known: ListedFile | null): Validators | null {
  if (known === null || known.version === "") return null;
  const { etag, lastModified } = known.sourceState ?? {};
  return { etag: textOf(etag), lastModified: textOf(lastModified) };
}

export const textOf = (value: unknown) => (typeof value === "string" ? value : null);

/** A start URL may move to the host with or without `www`; a pushed one wherever pushes may be of. */
function refusedHop({ bounds, crawl }: Step, { entry, found }: Subject, to: URL): string | null {
  if (crawl.hosts.has(to.host)) return null;
  if (found === "pushed" && takesPushesOf(bounds, to)) return null;
  const bare = ({ host }: URL) => host.replace(/^www\./, "");
  if (entry.found === "start" && bare(new URL(entry.url)) === bare(to)) {
    crawl.hosts.add(to.host);
    return null;
  }
  return "redirects to another host";
}
