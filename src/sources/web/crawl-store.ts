import { SourceFailure, type ReaderStore } from "../../ports/source-reader.ts";
import type { Crawl } from "./crawl-state.ts";

const FOLDER = "crawl/";

const stepFolder = (id: string, step: number | string) => `${FOLDER}${id}/${step}/`;

/**
 * Keeps the crawl and names it. Nothing that another call wrote is written over, so a step that is
 * done twice, even at the same time, leaves two crawls of which the scan goes on with one.
 */
export async function keepCrawl(store: ReaderStore, crawl: Crawl): Promise<string> {
  const attempt = crypto.randomUUID();
  const plain = JSON.stringify({
    ...crawl,
    notes: [...crawl.notes],
    hosts: [...crawl.hosts],
    robots: [...crawl.robots],
    silence: [...crawl.silence],
    nextAt: [...crawl.nextAt],
  });
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
export async function forgetCrawls(store: ReaderStore): Promise<void> {
  await store.remove(FOLDER);
}

/** Removes a step's state: a repeated step needs the last one only. */
export async function forgetStep(store: ReaderStore, id: string, step: number): Promise<void> {
  if (step >= 0) await store.remove(stepFolder(id, step));
}
