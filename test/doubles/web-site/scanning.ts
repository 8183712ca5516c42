import type {
  KnownFiles,
  ListedFile,
  ListingPage,
  SourceReader,
  ReaderStore,
} from "../../../src/ports/source-reader.ts";
import { webConfig, type WebConfig } from "../../../src/sources/web/web-config.ts";
import { webReader, type WebOptions } from "../../../src/sources/web/web-reader.ts";

/** Only what never answers takes so long, on a busy machine too. */
const PAGE_TIMEOUT_MS = 8_000;

/** A store in memory; what it holds can be looked at. */
export function memoryStore(): ReaderStore & { entries: Map<string, Uint8Array> } {
  const entries = new Map<string, Uint8Array>();
  return {
    entries,
    read: async (key) => entries.get(key) ?? null,
    write: async (key, bytes) => {
      entries.set(key, bytes);
    },
    retain: async (prefix, isKept) => {
      for (const key of entries.keys())
        if (key.startsWith(prefix) && !isKept(key)) entries.delete(key);
    },
    remove: async (prefix) => {
      for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
    },
  };
}

/** The host name under which the test site is reached; every other address is fetched as it is. */
export const HOST = "handbook.example.com";
export const BASE = `http://${HOST}`;

/** Paths on the test site, in their order. */
export const pathsOf = (addresses: Iterable<string>) =>
  [...addresses].map((address) => address.replace(BASE, "")).sort();

export type Scanned = {
  pages: ListedFile[];
  deleted: string[];
  problems: NonNullable<ListingPage["problems"]>;
  skipped: number;
  partial: boolean;
  leftOut: NonNullable<ListingPage["leftOut"]>;
};

/** A web source as the scan engine keeps it: known files, store, and scans that update them. */
export function webSource(port: number, settings: Partial<WebConfig>) {
  const files = new Map<string, ListedFile>();
  const store = memoryStore();
  const outside: string[] = [];
  const waits: number[] = [];
  /** Answers of other sites, by address. */
  const answers = new Map<string, () => Response>();
  let time = 0;
  const after = (path: string | null, limit: number, isWanted: (file: ListedFile) => boolean) =>
    [...files.values()]
      .filter((file) => isWanted(file) && file.path > (path ?? ""))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .slice(0, limit);
  const knownFiles: KnownFiles = {
    byPath: async (paths) => paths.flatMap((path) => files.get(path) ?? []),
    byExternalId: async (ids) => ids.flatMap((id) => files.get(id) ?? []),
    all: async (path, limit) => after(path, limit, () => true),
    pushed: async (path, limit) =>
      after(path, limit, ({ sourceState }) => sourceState?.["pushed"] === true),
  };
  const options: WebOptions = {
    outgoing: {
      allowPrivate: false,
      fetch: async (address, request) => {
        const url = new URL(address);
        const isOfSite = url.hostname === HOST || url.hostname === `www.${HOST}`;
        if (!isOfSite) outside.push(address);
        const answer = answers.get(address)?.();
        if (answer !== undefined) return answer;
        if (/example\.\w+$/.test(url.hostname) && !isOfSite) throw new TypeError("no such host");
        const target = isOfSite ? address.replace(url.host, `127.0.0.1:${port}`) : address;
        return await fetch(target, request);
      },
    },
    store,
    known: knownFiles,
    now: () => time,
    wait: async (ms) => {
      waits.push(ms);
      time += ms;
    },
    pageTimeoutMs: PAGE_TIMEOUT_MS,
  };
  const newReader = () => webReader(webConfig.parse(settings), options);
  const reader = newReader();
  const pass = (ms: number) => void (time += ms);
  const parts = { files, store, outside, answers, waits, pass, reader, newReader };
  return { ...parts, ...scans(reader, files) };
}

const signal = new AbortController().signal;

function add(scanned: Scanned, page: ListingPage): void {
  const { files, deleted, problems = [], skipped = 0, partial = false, leftOut = [] } = page;
  scanned.pages.push(...files);
  scanned.deleted.push(...deleted);
  scanned.problems.push(...problems);
  scanned.skipped += skipped;
  scanned.partial ||= partial;
  scanned.leftOut = leftOut;
}

function scans(reader: SourceReader, files: Map<string, ListedFile>) {
  const take = (file: ListedFile) => {
    files.set(file.path, { ...file });
  };
  return {
    async scan(): Promise<Scanned> {
      const scanned: Scanned = {
        pages: [],
        deleted: [],
        problems: [],
        skipped: 0,
        partial: false,
        leftOut: [],
      };
      let cursor: string | null = null;
      do {
        const page = await reader.list(cursor, signal);
        add(scanned, page);
        cursor = page.next;
      } while (cursor !== null);
      for (const file of scanned.pages) take(file);
      for (const path of scanned.deleted) files.delete(path);
      const currentPaths = new Set(scanned.pages.map((file) => file.path));
      if (!scanned.partial)
        for (const path of files.keys()) if (!currentPaths.has(path)) files.delete(path);
      await reader.finishListing?.();
      return scanned;
    },
    async push(...urls: string[]) {
      const page = await reader.readPushed?.(urls, signal);
      for (const file of page?.files ?? []) take(file);
      for (const path of page?.deleted ?? []) files.delete(path);
      return page;
    },
    async textOf(path: string): Promise<{ text: string; mimeType: string | null } | string> {
      const file = files.get(path);
      if (file === undefined) return "unknown";
      const download = await reader.open(file, signal);
      return { text: await new Response(download.body).text(), mimeType: download.mimeType };
    },
  };
}
