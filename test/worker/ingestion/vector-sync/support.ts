import { env } from "cloudflare:workers";
import { expect } from "vitest";

import { requestScan } from "../../../../src/catalog/file-sources/request-scan.ts";
import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import type { Restriction, SearchRequest } from "../../../../src/ports/rag-index.ts";
import type { RetrievalRequest } from "../../../../src/retrieval/retrieval-request.ts";
import { retrieve } from "../../../../src/retrieval/retrieve.ts";
import { FollowedSource } from "../../../doubles/source/followed-source.ts";
import { statement, type World } from "../../../support/ingestion-world.ts";
import { withProperty } from "../../../support/intercepted.ts";
import { requestOf } from "../../../support/retrieval-requests.ts";
import { VectorizeWorld } from "../../../support/vectorize-world.ts";
import { sourceWorld } from "../../sources/scanning.ts";

/** The searches that the index objects were asked for, in order; `deep`: of all vectors. */
type IndexCalls = ("search" | "deep")[];

/** Each search of the index objects from now on is one of this instead. */
export function asSearched(world: World, change: (request: SearchRequest) => SearchRequest): void {
  const { ragIndexes } = world.services;
  world.services.ragIndexes = (address) => {
    const index = ragIndexes(address);
    const search = async (request: SearchRequest) => await index.search(change(request));
    return withProperty(index, "search", search);
  };
}

/** Every restricted search is one of too many chunks to be scanned. */
function withoutExactScans(world: World): void {
  const { ragIndexes } = world.services;
  world.services.ragIndexes = (address) => {
    const index = ragIndexes(address);
    const plan = async (restriction: Restriction) => await index.planRestriction(restriction, 0);
    return withProperty(index, "planRestriction", plan);
  };
}

/** A drive whose files are followed and indexed, in chunks of about a sentence each. */
export async function drive(
  files: Record<string, string>,
  options: Parameters<typeof VectorizeWorld.alone>[0] = {},
) {
  const world = await VectorizeWorld.alone({ dimensions: 64, ...options });
  const indexCalls: IndexCalls = [];
  withoutExactScans(world);
  asSearched(world, (request) => {
    indexCalls.push(request.deep === true ? "deep" : "search");
    return request;
  });
  const { reader, source, rag } = await sourceWorld(new FollowedSource(files), { world });
  await makeChunksSmall(rag);
  const scan = async () => {
    world.now += 1_000;
    await requestScan(world.services, { sourceId: source, confirmRemovals: false, urls: null });
    await world.deliver();
  };
  await scan();
  return { world, reader, rag, scan, indexCalls };
}

/** Chunks of a RAG have about a sentence each. */
async function makeChunksSmall(rag: RagId): Promise<void> {
  const small = "chunk_size = 16, chunk_overlap = 0";
  await env.DB.batch([
    statement(`update rags set ${small} where id = ?`, rag),
    statement(`update rag_generations set ${small} where rag_id = ?`, rag),
  ]);
}

export const live = async (world: VectorizeWorld, rag: RagId) =>
  (await world.index(rag).facts()).chunks;

export const noteOf = (at: number) => `Bed ${at} of the moor garden holds ${at * 7} sedges today.`;

/** A RAG of one file of so many chunks. */
export async function notesRag(world: VectorizeWorld, count: number): Promise<RagId> {
  const { source, rag } = await world.addSourceAndRag();
  await makeChunksSmall(rag);
  const notes = Array.from({ length: count }, (_, at) => `<p>${noteOf(at)}</p>`);
  await world.putAndIndex(source, { "notes.html": notes.join("\n") });
  expect(await live(world, rag)).toBe(count);
  return rag;
}

/** A world of notes in a vector index of its own, which shows all of it. */
export async function notesWorld(count: number) {
  const world = await VectorizeWorld.alone({ dimensions: 64 });
  const rag = await notesRag(world, count);
  await world.minutesPass(3);
  return { world, rag };
}

/** The vector index of a world that has one. */
export function vectorIndexOf({ services: { vectorIndex } }: World) {
  if (vectorIndex === null) throw new Error("a vector index is needed");
  return vectorIndex;
}

/** Retrieves by meaning, in a folder or everywhere, best first. */
export async function nearest(
  world: VectorizeWorld,
  ragId: RagId,
  query: string,
  {
    folder = null,
    searchMode = "semantic",
    ...more
  }: {
    folder?: string | null;
    searchMode?: "semantic" | "hybrid";
  } & Partial<RetrievalRequest> = {},
) {
  const rag = await findRag(world.services, { key: ragId });
  const selection = folder === null ? null : { files: [], folders: [folder] };
  const fields = { named: selection, queries: [query], topK: 100, ...more };
  const request = requestOf([{ ...rag, searchMode }], fields);
  const { chunks, degradations } = await retrieve(world.services, request);
  return { degradations, chunks: chunks.map(({ text, source }) => `${source.filePath}: ${text}`) };
}
