import { WorkerEntrypoint } from "cloudflare:workers";

import { METADATA_INDEXES } from "../../../src/adapters/cloudflare/vectorize-index.ts";
import { VectorizeDouble } from "../../doubles/vectorize/vectorize-double.ts";

const DIMENSIONS = 1_024;
/** Real ones show after 30 s to 2 min. */
const VISIBLE_AFTER_MS = 2_000;

const double = new VectorizeDouble({
  dimensions: DIMENSIONS,
  now: () => Date.now(),
  visibleAfterMs: VISIBLE_AFTER_MS,
  metadataIndexes: METADATA_INDEXES,
});

/** The double as a Worker of its own, so that a bundled service can bind it as `VECTORIZE`. */
export class VectorizeService extends WorkerEntrypoint {
  describe() {
    return double.describe();
  }
  upsert(vectors: VectorizeVector[]) {
    return double.upsert(vectors);
  }
  deleteByIds(ids: string[]) {
    return double.deleteByIds(ids);
  }
  getByIds(ids: string[]) {
    return double.getByIds(ids);
  }
  query(vector: number[], options: VectorizeQueryOptions) {
    return double.query(vector, options);
  }
}

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
