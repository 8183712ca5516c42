import { DAY_MS } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { KnownFiles, ListedFile, ListingPage } from "../../ports/source-reader.ts";
import type { ReaderStore } from "../../ports/source-reader.ts";
import { hostOf, isOwnHost, type Crawler, type FoundBy, type QueuedPage } from "./crawl-state.ts";
import { UNKNOWN_DEPTH, type Bounds } from "./frontier.ts";
import { fetchPage, type Outcome, type Validators } from "./pages/fetch-page.ts";
import { normalizeUrl, twinsOf } from "./pages/page-url.ts";
import { isFormBefore } from "./pages/views.ts";

/** One call of the reader, with its work and its results. */
export type Step = Crawler & {
  bounds: Bounds;
  store: ReaderStore;
  known: KnownFiles;
  out: Required<Pick<ListingPage, "files" | "deleted" | "partial" | "skipped" | "problems">>;
};

/** An address with what earlier scans know of it. A pushed URL stays one, however it is found again. */
export type Subject = { entry: QueuedPage; known: ListedFile | null; found: FoundBy };

export const subjectOf = (entry: QueuedPage, file: ListedFile | null): Subject => ({
  entry,
  known: file,
  found: isPushed(file) ? "pushed" : entry.found,
});

export const isPushed = (file: ListedFile | null) => file?.sourceState?.["pushed"] === true;

/** A broken link that may lead to a page keeps it so long. */
const KEPT_UNMET_MS = 30 * DAY_MS;
const unmetSince = (file: ListedFile | null) => Number(file?.sourceState?.["unmetSince"] ?? NaN);

/** Whether no crawl of the last weeks met a page, whatever it answers when requested itself. */
export const isForgotten = (file: ListedFile, now: number) =>
  now >= unmetSince(file) + KEPT_UNMET_MS;

/** Notes since when no link leads to a page. */
export function noteUnmet({ now }: Step, { entry, known: file }: Subject, output: ListedFile) {
  if (entry.depth === UNKNOWN_DEPTH) {
    const since = unmetSince(file) || now();
    return { ...output, sourceState: { ...output.sourceState, unmetSince: since } };
  }
  if (output.sourceState?.["unmetSince"] === undefined) return output;
  const { unmetSince: _since, ...sourceState } = output.sourceState;
  return { ...output, sourceState };
}

export const findKnown = async ({ known: files }: Step, path: string): Promise<ListedFile | null> =>
  (await files.byPath([path]))[0] ?? null;

export const mayPushHost = ({ pushHosts }: Bounds, { hostname }: URL) =>
  pushHosts === null || pushHosts.has(hostname);

const MAX_REFRESHES = 5;
const failedOutcome = (...why: ConstructorParameters<typeof SourceFailure>): Outcome => {
  return { outcome: "failed", failure: new SourceFailure(...why) };
};

/**
 * What answers at an address, wherever the server or the page itself redirects; never what another
 * site answers. `alone`: nothing else is being read, so that the page may be large.
 */
export async function fetchEntry(step: Step, subject: Subject, alone: boolean): Promise<Outcome> {
  const { url, kind, found: foundBy } = subject.entry;
  const options = {
    validatorsOf: async (hop: URL) => validatorsOf(await findKnownAt(step, subject, hop)),
    anyType: kind === "map" || foundBy !== "link",
    refuse: (hop: URL) => redirectRefusal(step, subject, hop),
    alone,
  };
  let fetched = await fetchPage(step, new URL(url), options);
  for (let refreshes = 0; refreshes <= MAX_REFRESHES; refreshes++) {
    const target = kind === "map" ? null : refreshOf(fetched);
    if (target === null) return fetched;
    const refusal = redirectRefusal(step, subject, target);
    if (refusal !== null) return failedOutcome("denied", refusal);
    fetched = await fetchPage(step, target, options);
  }
  return failedOutcome("bad-file", `more than ${MAX_REFRESHES} redirects`);
}

/** The other address to which a page sends its readers at once. */
function refreshOf(fetched: Outcome): URL | null {
  if (fetched.outcome !== "page" || fetched.facts === null) return null;
  const { refresh, base } = fetched.facts;
  const url =
    refresh === null
      ? null
      : URL.parse(refresh, URL.parse(base ?? "", fetched.url)?.href ?? fetched.url);
  // Browsers stay on a page that would send them to a script or a mail.
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return normalizeUrl(url).href === normalizeUrl(fetched.url).href ? null : url;
}

/** Reads the stored file of the address at hand; a redirect leads to another file's. */
async function findKnownAt(step: Step, subject: Subject, hop: URL) {
  // A push and a sitemap are fetched whole, even where nothing says that they changed.
  if (step.crawl.isLook || subject.entry.kind === "map") return null;
  const moved = redirectTarget(subject, hop);
  const file = moved === null ? subject.known : await findKnown(step, moved);
  // The answer of another address says nothing of this one.
  return file?.url === hop.href ? file : null;
}

function validatorsOf(file: ListedFile | null): Validators | null {
  if (file === null || file.version === "") return null;
  const { etag, lastModified } = file.sourceState ?? {};
  return { etag: textOf(etag), lastModified: textOf(lastModified) };
}

export const textOf = (value: unknown) => (typeof value === "string" ? value : null);

/** Why an address may not redirect there: to another site than the source's or its own, or a form. */
function redirectRefusal({ bounds, crawl }: Step, { entry, found: foundBy }: Subject, to: URL) {
  const url = new URL(entry.url);
  if (isFormBefore(url, to)) return "redirects to a form, as to sign in";
  const isOwn = foundBy === "pushed" ? mayPushHost(bounds, to) : hostOf(url) === hostOf(to);
  return isOwn || isOwnHost(crawl, to) ? null : "redirects to another host";
}

/**
 * Where a redirect led, when the file goes by that address: null for the asked address itself. A
 * pushed URL keeps its own.
 */
export function redirectTarget({ entry, found: foundBy }: Subject, url: URL): string | null {
  const target = normalizeUrl(url).href;
  return foundBy === "pushed" || twinsOf(entry.url).includes(target) ? null : target;
}
