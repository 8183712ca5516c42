import { z } from "zod";

import { ESCAPE, hasParts, unescapeUnreserved } from "../pages/page-url.ts";

/** The rules of a robots.txt (RFC 9309) that concern us; plain data, kept with the crawl. */
export const robotsRules = z.object({
  rules: z.array(z.object({ allow: z.boolean(), pattern: z.string() })),
  /** Seconds between requests; null when none are required. */
  crawlDelaySeconds: z.number().nullable(),
  /** Addresses of the whole file, as written. RFC 9309 §2.2.4 */
  sitemaps: z.array(z.string()).default([]),
});
export type RobotsRules = z.infer<typeof robotsRules>;

export const ALLOW_ALL: RobotsRules = { rules: [], crawlDelaySeconds: null, sitemaps: [] };

const MAX_RULES = 2_000;
const MAX_SITEMAPS = 100;
/** Longer lines are cut: no address that we ask for is longer. */
const MAX_LINE_LENGTH = 8_192;

type Group = Omit<RobotsRules, "sitemaps"> & { agents: string[] };

/** @param agent our product token, lower case; its groups count, or else those for `*` */
export function parseRobots(text: string, agent: string): RobotsRules {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .map(fieldOf);
  const groups = groupsOf(lines);
  const ours = groups.filter((group) => group.agents.includes(agent));
  const applicable = ours.length > 0 ? ours : groups.filter((group) => group.agents.includes("*"));
  return {
    rules: applicable.flatMap((group) => group.rules).slice(0, MAX_RULES),
    crawlDelaySeconds:
      applicable.find((group) => group.crawlDelaySeconds !== null)?.crawlDelaySeconds ?? null,
    sitemaps: lines
      .flatMap(({ key, value }) => (key === "sitemap" && value !== "" ? [value] : []))
      .slice(0, MAX_SITEMAPS),
  };
}

function groupsOf(lines: Line[]): Group[] {
  const groups: Group[] = [];
  let naming = false;
  for (const { key, value } of lines) {
    if (key === "user-agent") {
      if (!naming) groups.push({ agents: [], rules: [], crawlDelaySeconds: null });
      groups.at(-1)?.agents.push(PRODUCT_TOKEN.exec(value)?.[0].toLowerCase() ?? value);
      naming = true;
    } else if (addRule(groups.at(-1), key, value)) naming = false;
  }
  return groups;
}

/** A version may follow the name. RFC 9309 §2.2.1 */
const PRODUCT_TOKEN = /^[A-Za-z_-]+/;

type Line = { key: string; value: string };

/** `Field: value # comment`; what is no field has an empty key. */
function fieldOf(line: string): Line {
  const [whole = ""] = line.slice(0, MAX_LINE_LENGTH).split("#", 1);
  const colon = whole.indexOf(":");
  const key = colon < 0 ? "" : whole.slice(0, colon).trim().toLowerCase();
  return { key: /^[\w-]+$/.test(key) ? key : "", value: whole.slice(colon + 1).trim() };
}

function addRule(group: Group | undefined, key: string, value: string): boolean {
  if (key === "allow" || key === "disallow") {
    if (value !== "") group?.rules.push({ allow: key === "allow", pattern: value });
    return true;
  }
  if (key !== "crawl-delay") return false;
  const seconds = Number(value);
  if (group !== undefined && seconds > 0) group.crawlDelaySeconds = seconds;
  return true;
}

/** The longest matching pattern decides; of two as long, the one that allows. */
export function robotsAllow({ rules }: RobotsRules, url: URL): boolean {
  const target = normalizeForMatch(`${url.pathname}${url.search}`);
  let best = { allow: true, length: -1 };
  for (const { allow, pattern } of rules) {
    const text = normalizeForMatch(pattern);
    const stronger = text.length > best.length || (text.length === best.length && allow);
    if (stronger && isMatch(text, target)) best = { allow, length: text.length };
  }
  return best.allow;
}

/** Percent-encoding in one way, so that `%7E` and `~`, `ä` and `%C3%A4` are equal. */
function normalizeForMatch(text: string): string {
  return text
    .replace(/[^\u0021-\u007E]+/g, (part) => encodeURIComponent(part.toWellFormed()))
    .replace(ESCAPE, unescapeUnreserved);
}

/** `*` is any characters, a final `$` the end. */
function isMatch(pattern: string, target: string): boolean {
  const toEnd = pattern.endsWith("$");
  return hasParts(target, (toEnd ? pattern.slice(0, -1) : pattern).split("*"), { toEnd });
}

/** Directives of a page, or of the server that sends it, for those who index. */
export type RobotsDirectives = { noIndex: boolean; noFollow: boolean };

export const NOT_TO_BE_INDEXED = "the page asks not to be indexed";

/** Directives that take a value after a colon; any other colon ends the name of an agent. */
const WITH_VALUE = /^(?:unavailable_after|max-[a-z-]+)$/;
const PART = /^\s*([\w.*-]+)\s*(?::([\s\S]*))?$/;

/**
 * Directives behind the name of another agent are not for us.
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */
export function readDirectives(text: string): RobotsDirectives {
  const agents = new Set<string>();
  let isOurs = true;
  for (const part of text.toLowerCase().split(",")) {
    let [, name = "", value = null] = PART.exec(part) ?? [];
    if (value !== null && !WITH_VALUE.test(name)) {
      isOurs = name === "quarry" || name === "*";
      [, name = "", value = null] = PART.exec(value) ?? [];
    }
    if (isOurs) agents.add(name);
  }
  const isAll = agents.has("none");
  return { noIndex: isAll || agents.has("noindex"), noFollow: isAll || agents.has("nofollow") };
}

/** The directives of the server and the page combined: either of them can ask for one. */
export function directivesOf(robotsTag: string | null, page: { directives: string[] } | null) {
  const directives = [robotsTag ?? "", ...(page?.directives ?? [])].map(readDirectives);
  return {
    noIndex: directives.some(({ noIndex }) => noIndex),
    noFollow: directives.some(({ noFollow }) => noFollow),
  };
}
