import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { ragIndexes } from "../../../src/adapters/cloudflare/own-objects.ts";
import {
  METADATA_INDEXES,
  vectorizeIndex,
} from "../../../src/adapters/cloudflare/vectorize-index.ts";
import { hashEmbedding } from "../../../src/adapters/embedded/hash-embedder.ts";
import { encodeHalfFloats } from "../../../src/core/bytes/half-float.ts";
import { folderOf } from "../../../src/core/folders.ts";
import { chunkIdOf, foldForDuplicates, sha256Hex } from "../../../src/core/hash.ts";
import type { FileId, RagId, VectorId } from "../../../src/core/ids.ts";
import type { FileFacts, PlacedChunk, StagedChunk } from "../../../src/ports/index-versions.ts";
import type {
  HydratedChunk,
  LegScores,
  RagIndex,
  SearchRequest,
} from "../../../src/ports/rag-index.ts";
import { languagesOf } from "../../../src/text/indexed-words.ts";
import type { Language } from "../../../src/text/languages.ts";
import { VectorizeDouble } from "../../doubles/vectorize/vectorize-double.ts";
import { usesVectorize } from "../../support/tested-adapters.ts";

export const DIMENSIONS = 64;

const { RAG_INDEX } = env;
const open = ragIndexes(RAG_INDEX);

/** An index of its own for each name; tests of one file share the storage. */
export const indexOf = (name: string): RagIndex =>
  open({ ragId: name as RagId, generation: 1, shard: 0 });

/** The stub behind `indexOf`, for eviction. */
export const stubOf = (name: string) => RAG_INDEX.get(RAG_INDEX.idFromName(`${name}:1:0`));

/** Runs maintenance until no passages are left that no search finds. */
export async function untilPurged(name: string): Promise<void> {
  for (let steps = 0; (await indexOf(name).facts()).staged > 0; steps++) {
    if (steps > 1_000) throw new Error("passages that left the index are not deleted");
    await runDurableObjectAlarm(stubOf(name));
  }
}

/** The statements that are executed from now on, and the rows that they have read so far. */
export function countStatements(sql: SqlStorage) {
  const exec = sql.exec.bind(sql);
  const texts: string[] = [];
  const cursors: { rowsRead: number }[] = [];
  const value = (...args: Parameters<typeof exec>) => {
    texts.push(args[0]);
    const cursor = exec(...args);
    cursors.push(cursor);
    return cursor;
  };
  Object.defineProperty(sql, "exec", { value, configurable: true });
  return { texts, rowsRead: () => cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0) };
}

const embed = (text: string) => Float32Array.from(hashEmbedding(text, DIMENSIONS));

export type Passage = {
  text: string;
  headings?: string[];
  language?: Language;
  vector?: Float32Array;
};

export type Version = { staged: StagedChunk[]; chunks: PlacedChunk[] };

const passageOf = (passage: string | Passage): Passage =>
  typeof passage === "string" ? { text: passage } : passage;

/** Chunks of a file's version as ingestion makes them. */
export async function versionOf(fileId: FileId, passages: (string | Passage)[]): Promise<Version> {
  const version: Version = { staged: [], chunks: [] };
  const occurrences = new Map<string, number>();
  for (const [position, passage] of passages.entries()) {
    const { text, headings = [], language = null, vector = embed(text) } = passageOf(passage);
    const occurrence = occurrences.get(text) ?? 0;
    occurrences.set(text, occurrence + 1);
    const ragId = "rag" as RagId;
    const id = await chunkIdOf({ ragId, generation: 1, fileId, embeddedText: text, occurrence });
    const duplicateKey = await sha256Hex(foldForDuplicates(text));
    version.staged.push({ id, text, duplicateKey, vector: encodeHalfFloats(vector) });
    const place = { headings, languages: languagesOf(text, language), page: null };
    version.chunks.push({ id, position, ...place, start: 0, end: text.length });
  }
  return version;
}

export const factsOf = (path: string, more: Partial<FileFacts> = {}): FileFacts => ({
  fileId: `file ${path}` as FileId,
  path,
  name: path.split("/").at(-1) ?? path,
  externalId: null,
  url: null,
  modifiedAt: 0,
  metadata: {},
  ...more,
});

/** Indexes a file as ingestion does: ask, stage, activate. */
export async function write(
  index: RagIndex,
  file: FileFacts | string,
  revision: number,
  passages: (string | Passage)[],
) {
  const facts = typeof file === "string" ? factsOf(file) : file;
  const { staged, chunks } = await versionOf(facts.fileId, passages);
  const missing = new Set(
    await index.missing([{ fileId: facts.fileId, ids: chunks.map(({ id }) => id) }]),
  );
  await index.stage(
    facts.fileId,
    revision,
    staged.filter(({ id }) => missing.has(id)),
    usesVectorize
      ? {
          id: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
          at: Date.now(),
          folder: folderOf(facts.path),
        }
      : undefined,
  );
  return index.activateVersion(facts, revision, chunks);
}

/** A vector index that shows at once what it is given: the passages of these files of a RAG. */
export async function vectorIndexOf(
  ragId: RagId,
  files: { facts: FileFacts; passages: string[]; folder?: string }[],
) {
  const vectorize = new VectorizeDouble({
    dimensions: DIMENSIONS,
    now: () => Date.now(),
    visibleAfterMs: 0,
    metadataIndexes: METADATA_INDEXES,
  });
  const vectorIndex = vectorizeIndex(vectorize);
  for (const {
    facts: { fileId },
    passages,
    folder = "",
  } of files) {
    const { staged } = await versionOf(fileId, passages);
    const vectors = staged.map(({ id }, at) => {
      return { id: id as string as VectorId, values: embed(passages[at] ?? ""), fileId, folder };
    });
    await vectorIndex.upsert({ ragId, generation: 1 }, vectors);
  }
  return { vectorize, vectorIndex };
}

type Wish = Partial<Omit<SearchRequest, "queries">> &
  Partial<Pick<SearchRequest["queries"][number], "vector" | "nearest">>;

/** One query of both legs, without a restriction unless one is wished. */
export function requestFor(text: string, wish: Wish = {}): SearchRequest {
  const { vector = embed(text), nearest, ...rest } = wish;
  return {
    queries: [{ text, vector, ...(nearest && { nearest }) }],
    restriction: { named: null, metadata: [] },
    includeDuplicates: false,
    limitPerLeg: 20,
    lexical: true,
    rule: { mode: "hybrid", weight: 0.5 },
    needed: wish.limitPerLeg ?? 20,
    threshold: null,
    withVectors: false,
    ...rest,
  };
}

/** The chunks that each leg alone finds for a query, best first. */
export async function search(index: RagIndex, text: string, wish: Wish = {}) {
  const readLeg = async (leg: keyof LegScores, only: Wish) => {
    const { chunks } = await index.search(requestFor(text, { ...wish, ...only }));
    const scoreOf = ({ scores }: HydratedChunk) => scores[0]?.[leg] ?? 0;
    return chunks.toSorted((a, b) => scoreOf(b) - scoreOf(a));
  };
  const lexical = await readLeg("lexical", { rule: { mode: "keyword", weight: 0 } });
  const nearest = await readLeg("vector", {
    lexical: false,
    rule: { mode: "semantic", weight: 1 },
  });
  const placesOf = (chunks: HydratedChunk[]) =>
    chunks.map(({ file, text }) => `${file.path}: ${text}`);
  return {
    lexical: lexical.map(({ text }) => text),
    vector: nearest.map(({ text }) => text),
    /** `path: text` of each hit. */
    lexicalPlaces: placesOf(lexical),
    vectorPlaces: placesOf(nearest),
    lexicalScores: lexical.map(({ scores }) => scores[0]?.lexical ?? 0),
    vectorScores: nearest.map(({ scores }) => scores[0]?.vector ?? 0),
    hydrated: nearest,
  };
}
