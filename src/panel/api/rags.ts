import { Hono } from "hono";
import { z } from "zod";

import { createRag } from "../../catalog/rags/create-rag.ts";
import { findRag } from "../../catalog/rags/find-rag.ts";
import { listRags, type ScopedRag } from "../../catalog/rags/list-rags.ts";
import { CHUNK_SIZE_MAX, CHUNK_SIZE_MIN, SCOPES_MAX } from "../../catalog/rags/rag-settings.ts";
import { removeRag } from "../../catalog/rags/remove-rag.ts";
import { updateRag } from "../../catalog/rags/update-rag.ts";
import { notFound } from "../../core/errors.ts";
import { IDENTIFIER_MAX_LENGTH } from "../../core/ids.ts";
import type { RagRecord } from "../../db/records.ts";
import { findUnknownIds, scopesOf } from "../../db/catalog/rag-scope-store.ts";
import { findFileStatuses } from "../../db/files/public-files.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { reindexRag } from "../../ingestion/rebuilds/reindex-rag.ts";
import { retryFiles } from "../../ingestion/indexing/retry-on-request.ts";
import type { Services } from "../../services.ts";
import { identifier, modelName, name } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { addIndexRoutes } from "./rag-index.ts";
import { bodyOf, given, pageOf, pagingOf, refuseChange } from "./request/read-request.ts";
import { relativePath } from "../../http/schemas/relative-path.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { storedPath } from "../../sources/file-names.ts";

export const retryQuery = z.object({ path: relativePath.transform(storedPath).optional() });

const settings = {
  fileSource: z.string().min(1).max(IDENTIFIER_MAX_LENGTH),
  scopeMode: z.enum(["global", "scoped"]),
  scopes: z
    .array(z.object({ type: z.enum(["path", "externalId"]), value: z.string() }))
    .max(SCOPES_MAX),
  chunkSize: z.int().min(CHUNK_SIZE_MIN).max(CHUNK_SIZE_MAX),
  chunkOverlap: z.int().min(0).max(CHUNK_SIZE_MAX),
  reranker: modelName.nullable(),
  searchMode: z.enum(["hybrid", "semantic"]),
  status: z.enum(["active", "paused"]),
};

export const newRag = z.object({
  name,
  identifier: identifier.optional(),
  ...z.object(settings).partial().shape,
  fileSource: settings.fileSource,
});
export const ragPatch = z.object({ name, identifier: z.string(), ...settings }).partial();

const shown = ({ rag, scopes }: ScopedRag) => ({
  id: rag.id,
  name: rag.name,
  identifier: rag.identifier,
  status: rag.status,
  totalFiles: rag.totalFiles,
  processedFiles: rag.processedFiles,
  numberVectors: rag.numberVectors,
  fileSource: rag.fileSource,
  fileSourceScopeMode: rag.scopeMode,
  fileSourceScopes: scopes,
  scopeMode: rag.scopeMode,
  scopes,
  chunkSize: rag.chunkSize,
  chunkOverlap: rag.chunkOverlap,
  reranker: rag.reranker,
  searchMode: rag.searchMode,
});

export const ragQuery = z.object({ check: z.literal("scopes").optional() });

const shownAlone = async ({ db }: Pick<Services, "db">, rag: RagRecord) =>
  shown({ rag, scopes: await scopesOf(db, rag.id) });

/**
 * With the external ids of its scopes that no file or folder of the source has: for most scopes,
 * all files of the source are read.
 */
async function shownChecked({ db }: Pick<Services, "db">, rag: RagRecord) {
  const scopes = await scopesOf(db, rag.id);
  const ids = scopes.flatMap(({ type, value }) => (type === "externalId" ? value : []));
  const unknownExternalIds = await findUnknownIds(db, rag.fileSource.id, ids);
  return { ...shown({ rag, scopes }), unknownExternalIds };
}

export function ragRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    return context.json(pageOf(await listRags(context.get("services"), paging), paging, shown));
  });

  app.post("/", jsonBody(), async (context) => {
    const services = context.get("services");
    const rag = await createRag(services, await bodyOf(context.req, newRag));
    return context.json(await shownChecked(services, rag), 201);
  });

  app.get("/:id", async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    const { check } = parseOrRefuse(ragQuery, context.req.query());
    const show = check === undefined ? shownAlone : shownChecked;
    return context.json(await show(services, rag));
  });

  app.patch("/:id", jsonBody(), async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    const { identifier: wanted, ...patch } = given(await bodyOf(context.req, ragPatch));
    refuseChange("identifier", rag.identifier, wanted);
    return context.json(await shownChecked(services, await updateRag(services, { rag, patch })));
  });

  app.delete("/:id", async (context) => {
    const services = context.get("services");
    await removeRag(services, { rag: await findRag(services, { key: context.req.param("id") }) });
    return context.body(null, 204);
  });
  addActions(app);
  addIndexRoutes(app);
  return app;
}

function addActions(app: Hono<PanelEnv>): void {
  app.post("/:id/reindex", async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    await reindexRag(services, { ragId: rag.id });
    return context.json({ queued: true }, 202);
  });

  app.post("/:id/retry", async (context) => {
    const services = context.get("services");
    const rag = await findRag(services, { key: context.req.param("id") });
    const { path } = parseOrRefuse(retryQuery, context.req.query());
    const retried = await retryFiles(services, { ragId: rag.id, path: path ?? null });
    if (path !== undefined && retried === 0) await findFileOf(services, rag, path);
    return context.json({ queued: true }, 202);
  });
}

/** @throws QuarryError `not-found` when the RAG has no such file. */
async function findFileOf(services: Services, rag: RagRecord, path: string): Promise<void> {
  const { id: ragId, generation, fileSource } = rag;
  const rows = [{ ragId, generation }];
  const [file] = await findFileStatuses(services.reads, fileSource.id, rows, [path]);
  if (file === undefined || file.status === "deleted") throw notFound("the RAG has no such file");
}
