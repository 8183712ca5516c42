import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import type { RagPatch } from "../../../../src/catalog/rags/rag-settings.ts";
import { updateRag } from "../../../../src/catalog/rags/update-rag.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { retrieve } from "../../../../src/retrieval/retrieve.ts";
import { rowsOf, type World } from "../../../support/ingestion-world.ts";
import { requestOf } from "../../../support/retrieval-requests.ts";
import { VectorizeWorld } from "../../../support/vectorize-world.ts";

/** About 40 words: one chunk of 400 tokens, several of 16. */
export const longText = (name: string) =>
  `A note about ${name}. The first of its parts speaks of water and peat. ` +
  `The second of its parts speaks of wind over open ground. ` +
  `The third of its parts speaks of the people who lived there. The ${name} ends here.`;

export async function patch(world: World, ragId: RagId, change: RagPatch) {
  const rag = await findRag(world.services, { key: ragId });
  return await updateRag(world.services, { rag, patch: change });
}

/** A RAG with these files indexed; each file has a message of its own from here on. */
export async function indexedRag<Of extends World>(world: Of, files: Record<string, string>) {
  world.sharesMessages = false;
  const { source, rag } = await world.addSourceAndRag();
  await world.putAndIndex(source, files);
  return { world, source, rag };
}

/** A RAG in a vector index that holds nothing else. */
export const vectorizeRag = async (
  files: Record<string, string>,
  options?: Parameters<typeof VectorizeWorld.alone>[0],
) => await indexedRag(await VectorizeWorld.alone(options), files);

/** Retrieves chunks: how many of each path, and whether all was searched. */
export async function find(world: World, ragId: RagId, query = "note parts") {
  const rag = await findRag(world.services, { key: ragId });
  const request = { queries: [query], topK: 100, includeDuplicates: true };
  const { chunks, degradations } = await retrieve(world.services, requestOf([rag], request));
  const counts: Record<string, number> = {};
  for (const { source } of chunks) {
    counts[source.filePath] = (counts[source.filePath] ?? 0) + 1;
  }
  return { counts, degradations, texts: chunks.map(({ text }) => text) };
}

export async function generations(ragId: RagId) {
  return await rowsOf<{ generation: number; state: string; vectorsIn: string }>(
    `select generation, state, dimensions, chunk_size as chunkSize, shards,
       vectors_in as vectorsIn from rag_generations where rag_id = ? order by generation`,
    ragId,
  );
}

export const states = async (ragId: RagId) =>
  (await generations(ragId)).map(({ generation, state }) => `${generation} ${state}`);

/** Nobody goes back, and the sweep has come by often enough for what other tests left, too. */
export async function tenMinutesLater(world: World): Promise<void> {
  world.services.config = { ...world.services.config, REPLACED_INDEX_MINUTES: 5 };
  for (let minute = 0; minute < 10; minute++) await world.sweepAfter(1);
}

/** Chunks that an index object of a generation holds. */
export const facts = async (world: World, ragId: RagId, generation: number, shard = 0) =>
  await world.services.ragIndexes({ ragId, generation, shard }).facts();

/** Delivers the message that has waited longest, alone. */
export async function deliverFirst(world: World): Promise<void> {
  const [first] = world.waiting;
  if (first === undefined) throw new Error("nothing waits");
  await world.deliverBatch("quarry-index", [first]);
}

/** Delivers what waits, but no message that `isHeld` names; those wait on. */
export async function deliverBut(
  world: World,
  isHeld: (envelope: World["waiting"][number]) => boolean,
): Promise<void> {
  const postponed: World["waiting"] = [];
  await world.deliver((envelopes) => {
    postponed.push(...envelopes.filter(isHeld));
    return envelopes.filter((envelope) => !isHeld(envelope));
  });
  world.waiting.push(...postponed);
}

/** Whether a message indexes a file in this generation. */
export const ofGeneration =
  (generation: number) =>
  ({ body }: World["waiting"][number]) =>
    "generation" in body && body.generation === generation;

/** Index messages of the first generation that is built beside the one that the RAG began with. */
export const ofBuild = ofGeneration(2);
