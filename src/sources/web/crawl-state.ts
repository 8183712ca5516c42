import { z } from "zod";

import { CompactMap } from "./compact-map.ts";
import type { RobotsRules } from "./site/robots.ts";
import type { NotFoundWords } from "./pages/soft-not-found.ts";

/** How an address was found. All but `link` were named by someone. */
const found = z.enum(["start", "sitemap", "link", "pushed"]);
export type FoundBy = z.infer<typeof found>;

/** An address that waits to be fetched. */
export const waitingAddress = z.object({
  url: z.string(),
  /** `map`: a sitemap itself, not a page. */
  kind: z.enum(["page", "map"]),
  found,
  /** Links from a start URL; for a map, maps above it. */
  depth: z.number(),
  /** Fetched because another page named it as the one to keep. */
  isCanonical: z.boolean().optional(),
});
export type Waiting = z.infer<typeof waitingAddress>;

/** The outcome of an address in this crawl; the index in this list is stored. */
const STATES = ["waiting", "listed", "dropped"] as const;
type AddressState = (typeof STATES)[number];

/** What is known of a server for the time of one crawl. */
type SiteFacts = {
  /** Null: robots.txt could not be read, and nothing else may be for now. */
  robots: RobotsRules | null;
  probe: NotFoundWords;
};

/** A list that grows with the site: its parts lie in the store, the end of it is here. */
export type LongList<Item> = { parts: string[]; end: Item[] };

/** All that a crawl is between two calls: plain data, kept in the store. */
export type Crawl = {
  id: string;
  step: number;
  /** Only what was pushed is looked at; nothing is followed. */
  isLook: boolean;
  /** The next to be fetched; `later` comes after them. */
  waiting: Waiting[];
  later: LongList<Waiting>;
  /** States of addresses, counts of shapes; `segments` are where they lie. */
  notes: CompactMap;
  segments: string[];
  /** Addresses that have a state. */
  addresses: number;
  hosts: Set<string>;
  sites: Map<string, SiteFacts>;
  /** Files listed, pushed ones apart; pages asked for. */
  listed: number;
  asked: number;
  maps: number;
  /** Addresses that were left out by a limit; further ones are no longer told apart. */
  leftOut: { maxPages: number; maxDepth: number; isAtLeast: boolean };
  partial: boolean;
  /** Whether a link was told that is one of endlessly many. */
  toldEndless: boolean;
  /** The pushed URL up to which the known ones were taken in; null: all of them. */
  pushedAfter: string | null;
  pushedDone: boolean;
  /** Failures to answer in a row, by host. */
  silence: Map<string, number>;
  /** When each host may be asked again, ms. */
  nextAt: Map<string, number>;
};

export function newCrawl(hosts: string[], isLook: boolean): Crawl {
  return {
    id: crypto.randomUUID(),
    step: 0,
    isLook,
    waiting: [],
    later: { parts: [], end: [] },
    notes: new CompactMap(),
    segments: [],
    addresses: 0,
    hosts: new Set(hosts),
    sites: new Map(),
    listed: 0,
    asked: 0,
    maps: 0,
    leftOut: { maxPages: 0, maxDepth: 0, isAtLeast: false },
    partial: false,
    toldEndless: false,
    pushedAfter: null,
    pushedDone: false,
    silence: new Map(),
    nextAt: new Map(),
  };
}

const addressName = (url: string) => `address ${url}`;
const shapeName = (shape: string) => `shape ${shape}`;

/** Null: the crawl has not met this address. */
export function stateOf({ notes }: Crawl, url: string): AddressState | null {
  const place = notes.get(addressName(url));
  return place === undefined ? null : (STATES[place] ?? null);
}

export function noteState(crawl: Crawl, url: string, state: AddressState): void {
  notePlace(crawl, url, STATES.indexOf(state));
}

/** Lies deeper than links are followed: it has no state, unless something else names it. */
const TOO_DEEP = STATES.length;

export function noteTooDeep(crawl: Crawl, url: string): void {
  if (crawl.notes.get(addressName(url)) !== undefined) return;
  notePlace(crawl, url, TOO_DEEP);
  crawl.leftOut.maxDepth += 1;
}

function notePlace(crawl: Crawl, url: string, place: number): void {
  const name = addressName(url);
  const before = crawl.notes.get(name);
  if (before === undefined) crawl.addresses += 1;
  if (before === TOO_DEEP) crawl.leftOut.maxDepth -= 1;
  crawl.notes.set(name, place);
}

/** How many addresses of a shape were taken in. */
export const countOfShape = ({ notes }: Crawl, shape: string) => notes.get(shapeName(shape)) ?? 0;

export function countShape(crawl: Crawl, shape: string): void {
  crawl.notes.set(shapeName(shape), countOfShape(crawl, shape) + 1);
}

/** Everything that waits, in order. What lies in the store is not among it. */
export const waitingHere = ({ waiting, later }: Crawl) => [...waiting, ...later.end];
