import { z } from "zod";

import { inParallel } from "../../core/work/parallel.ts";
import { SourceFailure, type ReaderStore } from "../../ports/source-reader.ts";
import { waitingAddress, type Crawl, type LongList, type Waiting } from "./crawl-state.ts";
import { CompactMap } from "./compact-map.ts";

const FOLDER = "crawl/";
/** Entries of a long list that lie together. */
const PART_LENGTH = 500;
/** At least so many waiting addresses are kept in memory. */
const FEW_WAITING = 100;
/** After so many steps with separate notes, all notes are written together. */
const MAX_SEGMENTS = 20;
/** Servers that are remembered; others are loaded again. */
const MAX_SITES = 50;
const AT_ONCE = 5;

const headsOf = (id: string, step: number) => `${FOLDER}${id}/heads/${step}/`;
const dataKey = (id: string, name: string) => `${FOLDER}${id}/data/${name}`;

/**
 * Keeps the crawl and names it. A step writes what it brought, and a head that names the parts;
 * but for the notes of addresses, read as 10 bytes each, it costs the same however many pages are
 * known. Nothing that another call wrote is written over, so a step that is done twice, even at
 * the same time, leaves two crawls of which the scan goes on with one.
 */
export async function keepCrawl(store: ReaderStore, crawl: Crawl): Promise<string> {
  const attempt = crypto.randomUUID();
  const nameOf = (what: string) => `${crawl.step}-${attempt}-${what}`;
  await keepNotes(store, crawl, nameOf("notes"));
  await spill(store, crawl.id, crawl.later, nameOf("later"));
  const cursor = `${crawl.id} ${crawl.step} ${attempt}`;
  await writeJson(store, `${headsOf(crawl.id, crawl.step)}${attempt}`, {
    ...crawl,
    notes: null,
    hosts: [...crawl.hosts],
    sites: [...crawl.sites].slice(-MAX_SITES),
    silence: [...crawl.silence].slice(-MAX_SITES),
    nextAt: [...crawl.nextAt].slice(-MAX_SITES),
  });
  return cursor;
}

async function keepNotes(store: ReaderStore, crawl: Crawl, name: string): Promise<void> {
  const changes = crawl.notes.takeChanges();
  const all = crawl.segments.length >= MAX_SEGMENTS;
  if (changes.byteLength === 0 && !all) return;
  await store.write(dataKey(crawl.id, name), all ? crawl.notes.everything() : changes);
  crawl.segments = all ? [name] : [...crawl.segments, name];
}

async function spill<Item>(
  store: ReaderStore,
  id: string,
  list: LongList<Item>,
  name: string,
): Promise<void> {
  const parts: { name: string; items: Item[] }[] = [];
  while (list.end.length >= PART_LENGTH) {
    parts.push({ name: `${name}-${parts.length}`, items: list.end.splice(0, PART_LENGTH) });
  }
  await inParallel(parts, AT_ONCE, (part) => writeJson(store, dataKey(id, part.name), part.items));
  list.parts.push(...parts.map((part) => part.name));
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as keepCrawl wrote it
  const plain = (await readJson(store, `${headsOf(id, Number(step))}${attempt}`)) as Plain;
  const notes = new CompactMap();
  const keys = plain.segments.map((name) => dataKey(id, name));
  for (const bytes of await inParallel(keys, AT_ONCE, (key) => readBytes(store, key))) {
    notes.add(bytes);
  }
  return {
    ...plain,
    notes,
    hosts: new Set(plain.hosts),
    sites: new Map(plain.sites),
    silence: new Map(plain.silence),
    nextAt: new Map(plain.nextAt),
  };
}

const waitingList: z.ZodType<Waiting[]> = z.array(waitingAddress);

/** Loads the addresses to be fetched next. False: nothing waits. */
export async function fillWaiting(store: ReaderStore, crawl: Crawl): Promise<boolean> {
  const { waiting, later } = crawl;
  while (waiting.length < FEW_WAITING) {
    const part = later.parts.shift();
    if (part !== undefined) {
      waiting.push(...waitingList.parse(await readJson(store, dataKey(crawl.id, part))));
    } else if (later.end.length > 0) {
      waiting.push(...later.end.splice(0, PART_LENGTH));
    } else break;
  }
  return waiting.length > 0;
}

/** That a call began a step and did not end the crawl; and that one did not end its step. */
const beginningKey = (id: string, step: number) => `${FOLDER}${id}/begun/${step}`;
const INTERRUPTED = "interrupted-crawl";
const NOTHING = new Uint8Array();

/** Begins a crawl, or a step of it, and notes if another call has begun the same and died. */
export async function noteBeginning(store: ReaderStore, cursor: string | null): Promise<void> {
  const [id = "", step = ""] = cursor?.split(" ") ?? [];
  const key = cursor === null ? beginningKey("first", 0) : beginningKey(id, Number(step));
  if ((await store.read(key)) !== null) await store.write(INTERRUPTED, NOTHING);
  if (cursor === null) await forgetCrawls(store);
  await store.write(key, NOTHING);
}

/** Whether a crawl died since the last that ended. */
export const wasInterrupted = async (store: ReaderStore) =>
  (await store.read(INTERRUPTED)) !== null;

/** All crawls have ended, and what they left was looked for. */
export async function forgetInterruption(store: ReaderStore): Promise<void> {
  await store.remove(INTERRUPTED);
}

/** Removes the states of finished and abandoned crawls. */
export async function forgetCrawls(store: ReaderStore): Promise<void> {
  await store.remove(FOLDER);
}

/** Removes a step's state: a repeated step needs the last one only. */
export async function forgetStep(store: ReaderStore, id: string, step: number): Promise<void> {
  if (step >= 0) await store.remove(headsOf(id, step));
}

async function readBytes(store: ReaderStore, key: string): Promise<Uint8Array> {
  const bytes = await store.read(key);
  if (bytes === null) throw new SourceFailure("down", "web: the crawl's state was lost");
  return bytes;
}

async function readJson(store: ReaderStore, key: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readBytes(store, key)));
}

async function writeJson(store: ReaderStore, key: string, value: unknown): Promise<void> {
  await store.write(key, new TextEncoder().encode(JSON.stringify(value)));
}
