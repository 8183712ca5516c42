import { hash32 } from "../../core/hash.ts";
import type { Now } from "../../core/time.ts";
import { SourceFailure, type ReaderStore } from "../../ports/source-reader.ts";
import type { Outgoing } from "../guarded-fetch.ts";
import type { RobotsRules } from "./site/robots.ts";

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
  loadingSites: Map<string, Promise<RobotsRules | null>>;
};

/** How an address was found. All but `link` were named by someone. */
export type FoundBy = "start" | "sitemap" | "link" | "pushed";

/** An address that waits to be fetched. */
export type Waiting = {
  url: string;
  /** `map`: a sitemap itself, not a page. */
  kind: "page" | "map";
  found: FoundBy;
  /** Links from a start URL; for a map, maps above it. */
  depth: number;
  /** What the sitemap says of its last change, ms. */
  modifiedAt?: number;
  /** Fetched because another page named it as the one to keep. */
  isCanonical?: boolean;
};

/** The outcome of an address in this crawl; the index in this list is stored. */
const STATES = ["waiting", "listed", "dropped"] as const;
type AddressState = (typeof STATES)[number];

/** All that a crawl is between two calls, kept in the store. */
export type Crawl = {
  id: string;
  step: number;
  /** Only what was pushed is looked at; nothing is followed. */
  isLook: boolean;
  /** The next to be fetched, in order. */
  waiting: Waiting[];
  /** States of addresses and counts of shapes, by `keyOf` their names. */
  notes: Map<number, number>;
  /** Addresses that have a state. */
  addresses: number;
  hosts: Set<string>;
  /** Rules by origin; null: robots.txt could not be read, and nothing else may be for now. */
  robots: Map<string, RobotsRules | null>;
  /** Files listed, pushed ones apart. */
  listed: number;
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
    notes: new Map(),
    addresses: 0,
    hosts: new Set(hosts),
    robots: new Map(),
    listed: 0,
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

const HASH_RANGE = 2 ** 32;
const SPARE_BITS = 11;

/**
 * A name as a whole number of 53 bits, however long it is. Two of 100,000 names are taken for one
 * another in about one crawl of a million.
 */
const keyOf = (name: string) => (hash32(name, 1) >>> SPARE_BITS) * HASH_RANGE + hash32(name);
const addressKey = (url: string) => keyOf(`address ${url}`);
const shapeKey = (shape: string) => keyOf(`shape ${shape}`);

/** Null: the crawl has not met this address. */
export function stateOf({ notes }: Crawl, url: string): AddressState | null {
  const place = notes.get(addressKey(url));
  return place === undefined ? null : (STATES[place] ?? null);
}

export function noteState(crawl: Crawl, url: string, state: AddressState): void {
  notePlace(crawl, url, STATES.indexOf(state));
}

/** Lies deeper than links are followed: it has no state, unless something else names it. */
const TOO_DEEP = STATES.length;

export function noteTooDeep(crawl: Crawl, url: string): void {
  if (crawl.notes.has(addressKey(url))) return;
  notePlace(crawl, url, TOO_DEEP);
  crawl.leftOut.maxDepth += 1;
}

function notePlace(crawl: Crawl, url: string, place: number): void {
  const key = addressKey(url);
  const before = crawl.notes.get(key);
  if (before === undefined) crawl.addresses += 1;
  if (before === TOO_DEEP) crawl.leftOut.maxDepth -= 1;
  crawl.notes.set(key, place);
}

/** How many addresses of a shape were taken in. */
export const countOfShape = ({ notes }: Crawl, shape: string) => notes.get(shapeKey(shape)) ?? 0;

export function countShape(crawl: Crawl, shape: string): void {
  crawl.notes.set(shapeKey(shape), countOfShape(crawl, shape) + 1);
}

const FOLDER = "crawl/";
const stepFolder = (id: string, step: number | string) => `${FOLDER}${id}/${step}/`;

const isCollection = (value: unknown) => value instanceof Map || value instanceof Set;

/**
 * Keeps the crawl and names it. Nothing that another call wrote is written over, so a step that is
 * done twice, even at the same time, leaves two crawls of which the scan goes on with one.
 */
export async function keepCrawl(store: ReaderStore, crawl: Crawl): Promise<string> {
  const attempt = crypto.randomUUID();
  const plain = JSON.stringify(crawl, (_name, value: unknown) =>
    isCollection(value) ? [...value] : value,
  );
  const key = `${stepFolder(crawl.id, crawl.step)}${attempt}`;
  await store.write(key, new TextEncoder().encode(plain));
  return `${crawl.id} ${crawl.step} ${attempt}`;
}

type Plain = {
  [Key in keyof Crawl]: Crawl[Key] extends Map<infer K, infer V>
    ? [K, V][]
    : Crawl[Key] extends Set<infer V>
      ? V[]
      : Crawl[Key];
};

/** @throws SourceFailure `down` when the state was lost: the scan must begin anew. */
export async function readCrawl(store: ReaderStore, cursor: string): Promise<Crawl> {
  const [id = "", step = "", attempt = ""] = cursor.split(" ");
  const bytes = await store.read(`${stepFolder(id, step)}${attempt}`);
  if (bytes === null) throw new SourceFailure("down", "web: the crawl's state was lost");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as keepCrawl wrote it
  const plain = JSON.parse(new TextDecoder().decode(bytes)) as Plain;
  return {
    ...plain,
    notes: new Map(plain.notes),
    hosts: new Set(plain.hosts),
    robots: new Map(plain.robots),
    silence: new Map(plain.silence),
    nextAt: new Map(plain.nextAt),
  };
}

/** Removes the states of finished and abandoned crawls. */
export const forgetCrawls = async (store: ReaderStore) => await store.remove(FOLDER);

/** Removes a step's state: a repeated step needs the last one only. */
export async function forgetStep(store: ReaderStore, id: string, step: number): Promise<void> {
  if (step >= 0) await store.remove(stepFolder(id, step));
}
