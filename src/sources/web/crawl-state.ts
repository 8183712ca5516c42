import { z } from "zod";

import { hash32 } from "../../core/hash.ts";
import type { Now } from "../../core/time.ts";
import { SourceFailure, type ReaderStore } from "../../ports/source-reader.ts";
import type { FetchClient } from "../guarded-fetch.ts";
import { readJson } from "../scan-state.ts";
import { robotsRules, type RobotsRules } from "./site/robots.ts";

export const USER_AGENT = "Quarry/1.0 (document indexer)";
export const ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5";

/** What one call of the reader fetches with. */
export type Crawler = {
  outgoing: FetchClient;
  now: Now;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  pageTimeoutMs: number;
  crawl: Crawl;
  /** Servers whose robots.txt is being read, by origin. */
  loadingSites: Map<string, Promise<RobotsRules | null>>;
};

const waiting = z.object({
  url: z.string(),
  /** `map`: a sitemap itself, not a page. */
  kind: z.enum(["page", "map"]),
  /** How it was found. All but `link` were named by someone who set the source up. */
  found: z.enum(["start", "sitemap", "link", "pushed"]),
  /** Links from a start URL; for a map, maps above it. */
  depth: z.number(),
  /** Time of the last change in the sitemap, ms. */
  modifiedAt: z.number().optional(),
  /** Fetched because another page named it as the one to keep. */
  isCanonical: z.boolean().optional(),
});
export type QueuedPage = z.infer<typeof waiting>;
export type FoundBy = QueuedPage["found"];

/** The outcome of an address in this crawl; the index in this list is stored. */
const STATES = ["waiting", "listed", "dropped"] as const;
type AddressState = (typeof STATES)[number];

const count = z.number().default(0);
const flag = z.boolean().default(false);
const mapOf = <Key, Value>(key: z.ZodType<Key>, value: z.ZodType<Value>) =>
  z
    .array(z.tuple([key, value]))
    .default([])
    .transform((entries) => new Map<Key, Value>(entries));

const leftOutCounts = z.object({
  maxPages: count,
  /** Deeper than links are followed. */
  maxDepth: count,
  /** Outside of the folders of the start URLs. */
  startUrls: count,
  /** Another view of a page that is read: see `views.ts`. */
  views: count,
  /** Named by a sitemap that may not name it, or a sitemap too many. */
  sitemapUrls: count,
  /** Pages that equal one that is read, or name it as their canonical one. */
  copies: count,
  /** Some were no longer distinguished. */
  isAtLeast: flag,
});
/** These have no state, and a place in the notes behind the states. */
const LEFT_OUT = ["maxDepth", "startUrls", "views", "sitemapUrls"] as const;
export type LeftOutReason = (typeof LEFT_OUT)[number];

const withoutWww = (host: string) => host.replace(/^www\./, "");
export const hostOf = ({ host }: Pick<URL, "host">) => withoutWww(host);
export const isOwnHost = ({ hosts }: Pick<Crawl, "hosts">, url: URL) => hosts.has(hostOf(url));

/** All that a crawl is between two calls, kept in the store: maps and sets as lists. */
const crawlState = z.object({
  id: z.string(),
  step: count,
  /** Only what was pushed is looked at; nothing is followed. */
  isLook: z.boolean(),
  /** The next to be fetched, in order. */
  waiting: z.array(waiting).default([]),
  /** States of addresses and counts of shapes, by `keyOf` their names. */
  notes: mapOf(z.number(), z.number()),
  /** Addresses that have a state. */
  addresses: count,
  /** Hosts of the source, without `www.`: a site is one, by whichever name it is called. */
  hosts: z.array(z.string()).transform((hosts) => new Set(hosts.map(withoutWww))),
  /** Rules by origin; null: robots.txt could not be read, and nothing else may be for now. */
  robots: mapOf(z.string(), robotsRules.nullable()),
  /** Files listed, pushed ones apart. */
  listed: count,
  maps: count,
  /** Folders of the start URLs, by these; the links of a crawl stay within them. */
  folders: mapOf(z.string(), z.string()),
  leftOut: leftOutCounts.prefault({}),
  partial: flag,
  /** Whether a problem names a link that is one of endlessly many. */
  toldEndless: flag,
  /** Whether something failed that may have led to known pages: these are requested themselves. */
  isDoubtful: flag,
  /** Whether that was a sitemap of the settings, which people are asked to mend. */
  lacksMap: flag,
  /** The known file up to which these, or the pushed ones alone, were taken in; null: none was. */
  knownAfter: z.string().nullable().default(null),
  knownDone: flag,
  /** Failures to answer in a row, by host. */
  silence: mapOf(z.string(), z.number()),
  /** When each host may be called again, ms. */
  nextAt: mapOf(z.string(), z.number()),
});
export type Crawl = z.infer<typeof crawlState>;

export const newCrawl = (hosts: string[], isLook: boolean): Crawl =>
  crawlState.parse({ id: crypto.randomUUID(), hosts, isLook });

const HASH_RANGE = 2 ** 32;
const SPARE_BITS = 11;

/** 53 bits of a name: two of 100,000 names collide in about one crawl of a million. */
const keyOf = (name: string) => (hash32(name, 1) >>> SPARE_BITS) * HASH_RANGE + hash32(name);
const addressKey = (url: string) => keyOf(`address ${url}`);
const shapeKey = (shape: string) => keyOf(`shape ${shape}`);

/** Null: the crawl has not met this address. */
export function stateOf({ notes }: Crawl, url: string): AddressState | null {
  const place = notes.get(addressKey(url));
  return place === undefined ? null : (STATES[place] ?? null);
}

export function noteState(crawl: Crawl, url: string, state: AddressState): void {
  const key = addressKey(url);
  const before = crawl.notes.get(key) ?? STATES.length;
  if (before >= STATES.length) crawl.addresses += 1;
  const reason = crawl.notes.has(key) ? LEFT_OUT[before - STATES.length] : undefined;
  if (reason !== undefined) crawl.leftOut[reason] -= 1;
  crawl.notes.set(key, STATES.indexOf(state));
}

/** It still has no state: something else may name it. At most `limit` names are remembered. */
export function noteLeftOut(crawl: Crawl, url: string, reason: LeftOutReason, limit: number) {
  const { notes, leftOut } = crawl;
  const key = addressKey(url);
  if (notes.has(key)) return;
  leftOut.isAtLeast ||= notes.size >= limit;
  if (notes.size >= limit) return;
  notes.set(key, STATES.length + LEFT_OUT.indexOf(reason));
  leftOut[reason] += 1;
}

export const countOfShape = ({ notes }: Crawl, shape: string) => notes.get(shapeKey(shape)) ?? 0;

export function countShape(crawl: Crawl, shape: string): void {
  crawl.notes.set(shapeKey(shape), countOfShape(crawl, shape) + 1);
}

const FOLDER = "crawl/";
const stepFolder = (id: string, step: number | string) => `${FOLDER}${id}/${step}/`;

const isCollection = (value: unknown) => value instanceof Map || value instanceof Set;

/** Overwrites nothing: a step that is done twice leaves two crawls, of which one goes on. */
export async function keepCrawl(store: ReaderStore, crawl: Crawl): Promise<string> {
  const attempt = crypto.randomUUID();
  const plain = JSON.stringify(crawl, (_name, value: unknown) =>
    isCollection(value) ? [...value] : value,
  );
  const key = `${stepFolder(crawl.id, crawl.step)}${attempt}`;
  await store.write(key, new TextEncoder().encode(plain));
  return `${crawl.id} ${crawl.step} ${attempt}`;
}

/** @throws SourceFailure `down` when the state was lost: the scan must start over. */
export async function readCrawl(store: ReaderStore, cursor: string): Promise<Crawl> {
  const [id = "", step = "", attempt = ""] = cursor.split(" ");
  const crawl = await readJson(store, `${stepFolder(id, step)}${attempt}`, crawlState);
  if (crawl === null) throw new SourceFailure("down", "web: the crawl's state was lost");
  return crawl;
}

export const forgetCrawls = async (store: ReaderStore) => await store.remove(FOLDER);

/** Removes a step's state: a repeated step needs the last one only. */
export async function forgetStep(store: ReaderStore, id: string, step: number): Promise<void> {
  if (step >= 0) await store.remove(stepFolder(id, step));
}
