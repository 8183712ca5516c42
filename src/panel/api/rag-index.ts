import type { Hono } from "hono";
import { z } from "zod";

import { findRag } from "../../catalog/rags/find-rag.ts";
import { CHUNK_SIZE_MAX, CHUNK_SIZE_MIN } from "../../catalog/rags/rag-settings.ts";
import { MINUTE_MS } from "../../core/time.ts";
import type { RagId } from "../../core/ids.ts";
import { listGenerations } from "../../db/generations/generation-list.ts";
import type { ListedGeneration } from "../../db/generations/generation-list.ts";
import { returnableGeneration } from "../../db/generations/generation-return.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { relativePath } from "../../http/schemas/relative-path.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { listPassages } from "../../ingestion/indexing/list-passages.ts";
import { previewChunks } from "../../ingestion/indexing/preview-chunks.ts";
import { estimateRebuild } from "../../ingestion/rebuilds/estimate-rebuild.ts";
import { wantedIndex } from "../../ingestion/rebuilds/reindex-rag.ts";
import { returnToIndex } from "../../ingestion/rebuilds/return-to-index.ts";
import type { Passage } from "../../ports/rag-index.ts";
import type { Services } from "../../services.ts";
import { storedPath } from "../../sources/file-names.ts";
import { modelName } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf, pageOf, pagingOf } from "./request/read-request.ts";

const DIMENSIONS_MAX = 1_536;

export const wish = z.object({
  chunkSize: z.int().min(CHUNK_SIZE_MIN).max(CHUNK_SIZE_MAX).optional(),
  chunkOverlap: z.int().min(0).max(CHUNK_SIZE_MAX).optional(),
  embeddingModel: modelName.optional(),
  dimensions: z.int().min(8).max(DIMENSIONS_MAX).optional(),
  reindex: z.boolean().optional(),
});

export const ofFile = z.object({ path: relativePath.min(1).transform(storedPath) });
export const previewWish = wish.pick({ chunkSize: true, chunkOverlap: true }).extend(ofFile.shape);

const shownPassage = ({ id: _internal, ...passage }: Passage) => passage;

const shown = (of: ListedGeneration) => ({
  generation: of.generation,
  embeddingModel: of.embeddingModel,
  dimensions: of.dimensions,
  chunkSize: of.chunkSize,
  chunkOverlap: of.chunkOverlap,
  shards: of.shards,
  vectorsIn: of.vectorsIn,
  createdAt: new Date(of.createdAt).toISOString(),
});

/** The active index, the one being built, and the previous one that can be restored. */
export async function indexState(services: Services, ragId: RagId) {
  const generations = await listGenerations(services.db, ragId);
  const kept = await returnableGeneration(services.db, ragId, wantedIndex(services));
  const of = (state: ListedGeneration["state"]) =>
    generations.find((generation) => generation.state === state);
  const [live, building] = [of("live"), of("building")];
  const previous = generations.find(({ generation }) => generation === kept?.generation);
  const keptMs = services.config.REPLACED_INDEX_MINUTES * MINUTE_MS;
  return {
    live: live === undefined ? null : shown(live),
    building:
      building === undefined
        ? null
        : { ...shown(building), filesDone: building.filesDone, filesFailed: building.filesFailed },
    previous:
      previous === undefined
        ? null
        : { ...shown(previous), keptUntil: new Date(previous.changedAt + keptMs).toISOString() },
  };
}

/** How a RAG's index stands, what a change would cost, and the way back. */
export function addIndexRoutes(app: Hono<PanelEnv>): void {
  app.get("/:id/index", async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    return context.json(await indexState(services, rag.id));
  });

  app.post("/:id/estimate", jsonBody(), async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    const asked = await bodyOf(context.req, wish);
    return context.json(await estimateRebuild(services, { rag, wish: asked }));
  });

  app.post("/:id/preview", jsonBody(), async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    const { path, chunkSize, chunkOverlap } = await bodyOf(context.req, previewWish);
    return context.json(await previewChunks(services, { rag, path, chunkSize, chunkOverlap }));
  });

  app.get("/:id/passages", async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    const paging = pagingOf(context.req);
    const { path } = parseOrRefuse(ofFile, context.req.query());
    const listed = await listPassages(services, { rag, path, ...paging });
    return context.json(pageOf(listed, paging, shownPassage));
  });

  app.post("/:id/return", async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    await returnToIndex(services, { ragId: rag.id });
    return context.json({ queued: true }, 202);
  });
}
