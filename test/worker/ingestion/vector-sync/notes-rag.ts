import { env } from "cloudflare:workers";
import { expect } from "vitest";

import type { RagId } from "../../../../src/core/ids.ts";
import type { VectorizeWorld } from "../../../support/vectorize-world.ts";
import { statement } from "../../../support/ingestion-world.ts";

export const live = async (world: VectorizeWorld, rag: RagId) =>
  (await world.index(rag).facts()).chunks;

export const noteOf = (at: number) => `Bed ${at} of the moor garden holds ${at * 7} sedges today.`;

/** A RAG of one file of so many chunks. */
export async function notesRag(world: VectorizeWorld, count: number): Promise<RagId> {
  const { source, rag } = await world.addSourceAndRag();
  await env.DB.batch(
    ["rags where id", "rag_generations where rag_id"].map((rows) => {
      const [table, where] = rows.split(" where ");
      return statement(
        `update ${table} set chunk_size = 16, chunk_overlap = 0 where ${where} = ?`,
        rag,
      );
    }),
  );
  const notes = Array.from({ length: count }, (_, at) => `<p>${noteOf(at)}</p>`);
  await world.put(source, "notes.html", notes.join("\n"));
  await world.deliver();
  expect(await live(world, rag)).toBe(count);
  return rag;
}
