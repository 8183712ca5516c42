import { SourceFailure, type SourceStore } from "../../../ports/source-reader.ts";
import type { RobotsRules } from "./robots.ts";
import type { NotFoundWords } from "./soft-not-found.ts";

/** How an address came to be looked at. All but `link` were named by someone. */
export type Found = "start" | "sitemap" | "link" | "pushed";

export type Waiting = {
  url: string;
  /** `map`: a sitemap itself, not a page. */
  kind: "page" | "map";
  found: Found;
  /** Links from a start URL; for a map, maps above it. */
  depth: number;
  /** Fetched because another page named it as the one to keep. */
  isCanonical?: boolean;
};

/** What became of an address in this crawl. */
type Seen = "waiting" | "listed" | "dropped";

/** What is known of a server for the time of one crawl. */
type SiteFacts = {
  /** Null: robots.txt could not be read, and nothing else may be for now. */
  robots: RobotsRules | null;
  probe: NotFoundWords;
};

/** All that a crawl is between two calls: plain data, kept in the store. */
export type Crawl = {
  id: string;
  step: number;
  /** Only what was pushed is looked at; nothing is followed. */
  isLook: boolean;
  waiting: Waiting[];
  seen: Map<string, Seen>;
  hosts: Set<string>;
  sites: Map<string, SiteFacts>;
  /** Files listed, pushed ones apart; pages asked for. */
  listed: number;
  asked: number;
  maps: number;
  /** Addresses taken in, by shape. */
  shapes: Map<string, number>;
  /** Paths of all files listed. */
  paths: string[];
  partial: boolean;
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
    seen: new Map(),
    hosts: new Set(hosts),
    sites: new Map(),
    listed: 0,
    asked: 0,
    maps: 0,
    shapes: new Map(),
    paths: [],
    partial: false,
    pushedAfter: null,
    pushedDone: false,
    silence: new Map(),
    nextAt: new Map(),
  };
}

const FOLDER = "crawl/";
const keyOf = (cursor: string) => `${FOLDER}${cursor.replace(".", "/")}`;

/** Keeps the crawl and names it; a step that is done twice writes the same state again. */
export async function keepCrawl(store: SourceStore, crawl: Crawl): Promise<string> {
  const cursor = `${crawl.id}.${crawl.step}`;
  const plain = { ...crawl, hosts: [...crawl.hosts] };
  const text = JSON.stringify(plain, (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
  await store.write(keyOf(cursor), new TextEncoder().encode(text));
  return cursor;
}

type Plain = {
  [Key in keyof Crawl]: Crawl[Key] extends Map<infer K, infer V>
    ? [K, V][]
    : Crawl[Key] extends Set<infer V>
      ? V[]
      : Crawl[Key];
};

/** @throws SourceFailure `down` when the state has gone: the scan must begin anew. */
export async function readCrawl(store: SourceStore, cursor: string): Promise<Crawl> {
  const bytes = await store.read(keyOf(cursor));
  if (bytes === null) throw new SourceFailure("down", "web: the crawl's state was lost");
  const plain = JSON.parse(new TextDecoder().decode(bytes)) as Plain;
  return {
    ...plain,
    seen: new Map(plain.seen),
    shapes: new Map(plain.shapes),
    hosts: new Set(plain.hosts),
    sites: new Map(plain.sites),
    silence: new Map(plain.silence),
    nextAt: new Map(plain.nextAt),
  };
}

/** States of finished and abandoned crawls go. */
export async function forgetCrawls(store: SourceStore): Promise<void> {
  await store.remove(FOLDER);
}

/** The state before the last one is of no use to a repeated step. */
export async function forgetStep(store: SourceStore, id: string, step: number): Promise<void> {
  await store.remove(keyOf(`${id}.${step}`));
}
