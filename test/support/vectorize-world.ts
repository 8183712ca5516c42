import { env } from "cloudflare:workers";

import { METADATA_INDEXES, vectorizeIndex } from "../../src/adapters/cloudflare/vectorize-index.ts";
import type { RagId, VectorId } from "../../src/core/ids.ts";
import { MINUTE_MS } from "../../src/core/time.ts";
import { VectorizeDouble } from "../doubles/vectorize/vectorize-double.ts";
import { World } from "./ingestion-world.ts";

export const SHOWN_AFTER_MS = MINUTE_MS;

type VectorizeWorldOptions = {
  dimensions?: number;
  visibleAfterMs?: () => number;
  scoreSteps?: number;
};

/** A world whose nearest neighbours are found in Vectorize, by the world's own clock. */
export class VectorizeWorld extends World {
  readonly vectorize: VectorizeDouble;

  constructor({ dimensions, ...behaviour }: VectorizeWorldOptions = {}) {
    super();
    const { config } = this.services;
    this.services.config = {
      ...config,
      EMBEDDING_DIMENSIONS: dimensions ?? config.EMBEDDING_DIMENSIONS,
    };
    this.vectorize = new VectorizeDouble({
      dimensions: this.services.config.EMBEDDING_DIMENSIONS,
      now: () => this.now,
      visibleAfterMs: SHOWN_AFTER_MS,
      metadataIndexes: METADATA_INDEXES,
      ...behaviour,
    });
    this.services.vectorIndex = vectorizeIndex(this.vectorize);
  }

  /** RAGs of earlier tests are left alone: this world's Vectorize knows nothing of them. */
  static async alone(options: VectorizeWorldOptions = {}): Promise<VectorizeWorld> {
    const world = new VectorizeWorld(options);
    await env.DB.batch([
      env.DB.prepare("delete from rags"),
      env.DB.prepare("delete from vector_syncs"),
    ]);
    return world;
  }

  /** The sweep comes by each minute. */
  async minutesPass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) await this.sweepAfter(1);
  }

  /** Makes sent vectors visible, and removes those with a tombstone for the second time. */
  async everythingSettles(): Promise<void> {
    await this.minutesPass(3);
    this.now += 16 * MINUTE_MS;
    await this.minutesPass(4);
  }

  /** Ids of what Vectorize holds of a RAG by now, in all its generations. */
  vectorIdsOf(ragId: RagId): VectorId[] {
    return this.vectorize.idsIn(ragId.replaceAll("-", "")) as VectorId[];
  }

  /** Calls of this name from now on are counted by what is returned. */
  countCalls(...names: string[]): () => number {
    const before = this.vectorize.calls.length;
    return () =>
      this.vectorize.calls.slice(before).filter(({ name }) => names.includes(name)).length;
  }
}
