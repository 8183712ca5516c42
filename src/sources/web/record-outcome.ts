import { sha256Hex } from "../../core/hash.ts";
import { type ListedFile, SourceFailure } from "../../ports/source-reader.ts";
import { keepPage, readPage } from "../page-store.ts";
import { canonicalOf } from "./canonical-address.ts";
import { countOfShape, countShape, noteState, stateOf, type QueuedPage } from "./crawl-state.ts";
import {
  fetchEntry,
  findKnown,
  isPushed,
  redirectTarget,
  subjectOf,
  textOf,
  noteUnmet,
} from "./fetch-entry.ts";
import type { Step, Subject } from "./fetch-entry.ts";
import { followLinks } from "./follow-links.ts";
import { enterSite, isWanted, leaveOut } from "./frontier.ts";
import type { Page, Outcome } from "./pages/fetch-page.ts";
import { factsOf, isHtml, type HtmlPage } from "./pages/html-page.ts";
import { nameOfPage, normalizeUrl, pageTime, twinsOf } from "./pages/page-url.ts";
import { directivesOf, NOT_TO_BE_INDEXED } from "./site/robots.ts";

/** Records what was fetched in the listing: files, failures and further addresses. */
export async function recordOutcome(step: Step, subject: Subject, fetched: Outcome): Promise<void> {
  const { crawl, bounds } = step;
  const { entry } = subject;
  noteState(crawl, entry.url, "dropped");
  const isStart = entry.found === "start";
  if (isStart && "url" in fetched) enterSite(crawl, bounds, entry.url, fetched.url);
  crawl.isDoubtful ||= isStart && !isStartUsable(subject, fetched);
  if (fetched.outcome === "page") await recordPage(step, subject, fetched);
  else if (fetched.outcome === "unchanged") await recordUnchanged(step, subject, fetched);
  else if (fetched.outcome === "missing")
    recordMissing(step, subject, `the page does not exist (${fetched.status})`);
  else if (fetched.outcome === "failed") await recordFailure(step, subject, fetched.failure);
}

/** A start page that is empty or a page no more, as one that fails, says nothing about other pages. */
function isStartUsable({ known: file }: Subject, fetched: Outcome): boolean {
  if (fetched.outcome !== "page") return fetched.outcome === "unchanged";
  if (fetched.facts === null) return file !== null && !isHtml(file.mimeType);
  return fetched.bytes.length > 0;
}

async function recordPage(step: Step, subject: Subject, page: Page): Promise<void> {
  const moved = redirectTarget(subject, page.url);
  const { facts } = page;
  if (moved !== null && isRecorded(step, moved)) return;
  const isFile = isTaken(step, subject, page.url);
  if (moved !== null) noteMoved(step, moved, isFile);
  if (facts !== null && (await isReplacedByCanonical(step, subject, page, facts))) return;
  const asks = directivesOf(page.robotsTag, facts);
  const version = await sha256Hex(page.bytes);
  if (asks.noIndex) recordMissing(step, subject, NOT_TO_BE_INDEXED);
  else if (isFile)
    await listPage(step, { ...subject, path: moved ?? subject.entry.url, page, facts }, version);
  // A page for all that is missing leads on without an end by its relative links.
  const leadsOn = countOfShape(step.crawl, version) <= COPIES_FOLLOWED;
  if (facts !== null && leadsOn) await followLinks(step, subject, page.url, facts, asks);
}

/** A page at two addresses may be meant for one of them, with all its relative links. */
const COPIES_FOLLOWED = 5;

type PageVersion = Pick<Page, "url" | "mediaType"> & { version: string };

/**
 * Whether this crawl has read the same page at another address, as a form to sign in or a page for
 * all that does not exist. Named addresses stay, and so does a file that has not changed: in
 * another order of links, equal pages would take turns.
 */
function isCopy(
  { crawl }: Step,
  subject: Subject,
  { url, mediaType, version }: PageVersion,
  file: ListedFile | null,
): boolean {
  if (!isHtml(mediaType)) return false;
  const isNamed = subject.found !== "link" && redirectTarget(subject, url) === null;
  const stays = isNamed || isPushed(file) || file?.version === version;
  const isEqual = !stays && countOfShape(crawl, version) > 0;
  countShape(crawl, version);
  if (isEqual) crawl.leftOut.copies += 1;
  return isEqual;
}

function isTaken({ crawl, bounds }: Step, { found: foundBy }: Subject, url: URL): boolean {
  if (foundBy !== "link") return foundBy === "pushed" || bounds.filter(url);
  return isWanted(crawl, bounds, normalizeUrl(url));
}

/** A redirect out of the folder of the start URLs is counted, as a link to that page is. */
function noteMoved({ crawl, bounds }: Step, moved: string, isFile: boolean): void {
  if (isFile) noteState(crawl, moved, "dropped");
  else if (bounds.filter(new URL(moved))) leaveOut(crawl, bounds, moved, "startUrls");
}

function isRecorded({ crawl }: Step, url: string): boolean {
  const isListed = twinsOf(url).some((twin) => stateOf(crawl, twin) === "listed");
  return isListed || stateOf(crawl, url) === "dropped";
}

/** Named addresses, and pages that are themselves somebody's canonical, stay. */
async function isReplacedByCanonical(
  step: Step,
  { entry, found: foundBy }: Subject,
  page: Page,
  facts: HtmlPage,
): Promise<boolean> {
  const stays = entry.isCanonical === true || foundBy === "start" || foundBy === "pushed";
  const target = stays ? null : canonicalOf(step, page, facts);
  if (target === null || target === entry.url) return false;
  const { crawl } = step;
  const state = stateOf(crawl, target);
  if (state !== "listed" && state !== "dropped") {
    // Whoever named this page did not name that one: where that cannot be read, this one stays.
    const better: QueuedPage = { ...entry, url: target, found: "link", isCanonical: true };
    const subject = subjectOf(better, await findKnown(step, target));
    // Canonicals are not followed further: two pages that name each other would both be dropped.
    await recordOutcome(step, subject, await fetchEntry(step, subject, true));
  }
  const isListed = stateOf(crawl, target) === "listed";
  if (isListed) crawl.leftOut.copies += 1;
  return isListed;
}

type Listing = Subject & { path: string; page: Page; facts: HtmlPage | null };

async function listPage(step: Step, listing: Listing, version: string): Promise<void> {
  const { entry, found: foundBy, path, page } = listing;
  const { crawl, store, out } = step;
  // After a redirect what is known belongs to another address.
  const file = path === entry.url ? listing.known : await findKnown(step, path);
  if (isCopy(step, listing, { ...page, version }, file)) return;
  if (file?.version !== version) {
    await keepPage(store, path, { version, bytes: page.bytes }, file?.version ?? "");
  }
  const pushed = foundBy === "pushed" || isPushed(file);
  const output = fileOf(listing, { version, isNew: file?.version !== version }, pushed);
  out.files.push(noteUnmet(step, listing, output));
  noteListed(step, path, pushed);
  noteState(crawl, entry.url, path === entry.url ? "listed" : "dropped");
}

type Version = { version: string; isNew: boolean };

function fileOf(
  { entry, path, page, facts }: Listing,
  { version, isNew }: Version,
  pushed: boolean,
): ListedFile {
  const { etag, lastModified, contentType, robotsTag, fileName } = page;
  const { title = null, language = null } = facts ?? {};
  return {
    ...unreadFile(path, page.mediaType),
    ...(fileName === null ? {} : { name: fileName }),
    url: page.url.href,
    size: page.bytes.byteLength,
    version,
    metadata: { ...(title === null ? {} : { title }), ...(language === null ? {} : { language }) },
    sourceState: {
      etag,
      lastModified,
      contentType,
      ...(robotsTag === null ? {} : { robotsTag }),
      ...(pushed ? { pushed } : {}),
    },
    // Servers that write each page again give equal bytes another time.
    ...(isNew ? { modifiedAt: modifiedAtOf(facts, entry.modifiedAt, lastModified) } : {}),
  };
}

/** In the state of a file that stands for a sitemap: why that could not be read. */
export const BROKEN_SITEMAP = "brokenSitemap";

export const unreadFile = (url: string, mimeType = "text/html"): ListedFile => ({
  path: url,
  externalId: url,
  url,
  name: nameOfPage(new URL(url)),
  size: 0,
  mimeType,
  version: "",
  metadata: {},
  sourceState: null,
});

/** When a page was last changed, ms: as it says itself, else its sitemap, else its server. */
function modifiedAtOf(facts: HtmlPage | null, mapped: number | undefined, header: string | null) {
  const own = facts?.modified.map(pageTime).find((ms) => ms !== null);
  const ofServer = Date.parse(header ?? "");
  return own ?? mapped ?? (Number.isNaN(ofServer) ? null : ofServer);
}

function noteListed({ crawl }: Step, path: string, pushed: boolean): void {
  noteState(crawl, path, "listed");
  if (!pushed) crawl.listed += 1;
}

async function recordUnchanged(
  step: Step,
  subject: Subject,
  { url, robotsTag }: { url: URL; robotsTag: string | null },
): Promise<void> {
  const { entry } = subject;
  const moved = redirectTarget(subject, url);
  if (moved !== null && isRecorded(step, moved)) return;
  const file = moved === null ? subject.known : await findKnown(step, moved);
  const asks =
    file === null ? null : await followStoredLinks(step, { ...subject, known: file }, robotsTag);
  if (file === null || asks === null) {
    // Its bytes are lost, and with them its links: fetch it whole.
    const fetched = await fetchEntry(step, subjectOf(entry, null), true);
    if (fetched.outcome !== "unchanged") return await recordOutcome(step, subject, fetched);
  }
  if (file === null) {
    const failure = new SourceFailure("down", "the server answered 304 to a first request");
    return await recordFailure(step, subject, failure);
  }
  listUnchanged(step, { ...subject, known: file }, asks?.noIndex === true);
}

function listUnchanged(step: Step, subject: Subject & { known: ListedFile }, noIndex: boolean) {
  const { known: file, found: foundBy } = subject;
  if (noIndex) return recordMissing(step, subject, NOT_TO_BE_INDEXED);
  // It stays; later pages that equal it do not.
  if (isHtml(file.mimeType)) countShape(step.crawl, file.version);
  step.out.files.push(noteUnmet(step, subject, file));
  noteListed(step, file.path, foundBy === "pushed" || isPushed(file));
}

/** Deleted or no longer to be indexed. What never was a file becomes none, unless it was named. */
function recordMissing(step: Step, subject: Subject, why: string): void {
  const { known: file, found: foundBy } = subject;
  const wasRead = file !== null && file.version !== "";
  // A pushed URL that never existed is an error at first, and deleted at the next scan.
  const hadItsChance = file !== null && foundBy === "pushed" && !step.crawl.isLook;
  if (wasRead || hadItsChance) step.out.deleted.push(file.externalId ?? file.path);
  else if (foundBy === "link") skip(step, subject.entry.url, why);
  else listFailure(step, subject, new SourceFailure("bad-file", why));
}

const MAX_PROBLEMS = 20;

export function skip({ out }: Step, path: string, message: string): void {
  out.skipped += 1;
  if (out.problems.length < MAX_PROBLEMS) out.problems.push({ path, message });
}

/** A failure keeps what was known; only named addresses become files by failing. */
async function recordFailure(step: Step, subject: Subject, failure: SourceFailure): Promise<void> {
  const { entry, known: file, found: foundBy } = subject;
  const isPassing = failure.kind === "down" || failure.kind === "throttled";
  if ((file === null || file.version === "") && foundBy === "link") {
    step.crawl.isDoubtful ||= isPassing;
    skip(step, entry.url, failure.message);
    return;
  }
  listFailure(step, subject, failure);
  const isSeen = (await followStoredLinks(step, subject, null)) !== null;
  // It may lead to another folder, whose pages the crawl takes for none of its own then.
  if (isPassing && !isSeen && entry.found === "start") step.out.partial = true;
}

function listFailure(step: Step, subject: Subject, thrown: SourceFailure): void {
  const { entry, known: file, found: foundBy } = subject;
  const failure = { kind: thrown.kind, message: thrown.message };
  const pushed = foundBy === "pushed";
  const never = { ...unreadFile(entry.url), sourceState: pushed ? { pushed } : null };
  step.out.files.push({ ...noteUnmet(step, subject, file ?? never), failure });
  noteListed(step, entry.url, pushed);
}

/**
 * Obeys directives of page and server; null: the page is not there. `robotsTag`: the server's
 * header today.
 */
async function followStoredLinks(step: Step, subject: Subject, robotsTag: string | null) {
  const { known: file } = subject;
  if (file === null) return null;
  const bytes = await readPage(step.store, file.path, file.version);
  if (bytes === null) return null;
  const { contentType = null, robotsTag: before = null } = file.sourceState ?? {};
  const facts = await factsOf(file.mimeType, bytes, textOf(contentType));
  const asks = directivesOf(robotsTag ?? textOf(before), facts);
  // Its links, which may lead to itself, come after.
  if (!asks.noIndex) noteState(step.crawl, file.path, "listed");
  if (facts !== null) await followLinks(step, subject, new URL(file.url ?? file.path), facts, asks);
  return asks;
}
