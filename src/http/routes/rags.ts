import { createRoute, OpenAPIHono } from "@hono/zod-openapi";

import { fieldChanges, removedFields } from "../../access/audit/field-changes.ts";
import { recountRags, maySeeScopes } from "../../access/readers.ts";
import { addScope, removeScope } from "../../catalog/rags/scopes.ts";
import { keepQueries } from "../../catalog/usage/keep-queries.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { listPublicRags } from "../../db/access/public-lists.ts";
import type { ListedRag, RagRecord } from "../../db/records.ts";
import { restrictionTo } from "../../retrieval/retrieval-request.ts";
import { retrieve } from "../../retrieval/retrieve.ts";
import { applySearchMode } from "../../retrieval/search-mode.ts";
import { RagRetrieveRequest } from "../../retrieval/search-request.ts";
import { chunkAnswer, degradedAnswer } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { callerFrom, credentialIn } from "../caller.ts";
import { auditAs, recordingServices } from "../middleware/audit.ts";
import { guardRag, guardSearch, mayChangeScopes } from "../middleware/guard.ts";
import { errorResponses, invalidRequest } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { Done, RagDetail, RagList, Scope } from "../schemas/rag.ts";
import { RagRetrieveResponse } from "../schemas/retrieval.ts";
import { bearer, json, jsonRequest, ragParams, TAGS, checkJson } from "./route-parts.ts";

const ofRags = { tags: [TAGS.rags], security: bearer };

const listRags = createRoute({
  ...ofRags,
  method: "get",
  path: "/api/rags",
  operationId: "listRags",
  summary: "List RAGs",
  description: "The RAGs that the token may access, in order of identifier.",
  responses: { 200: json(RagList, "The permitted RAGs.", EXAMPLES.ragList), ...errorResponses() },
});

const getRag = createRoute({
  ...ofRags,
  method: "get",
  path: "/api/rags/{identifier}",
  operationId: "getRag",
  summary: "RAG status",
  description: "One RAG with its counts and its scope list.",
  middleware: [guardRag] as const,
  request: { params: ragParams },
  responses: { 200: json(RagDetail, "The RAG.", EXAMPLES.ragDetail), ...errorResponses(403, 404) },
});

const retrieveFromRag = createRoute({
  ...ofRags,
  method: "post",
  path: "/api/rags/{identifier}/retrieve",
  operationId: "retrieveFromRag",
  summary: "Semantic search in one RAG",
  description:
    "Returns the chunks that match the queries, without calling a model. If a part of the search is down, the answer has degraded instead of an error.",
  middleware: [guardSearch, ...checkJson(RagRetrieveRequest)] as const,
  request: { params: ragParams, body: jsonRequest(RagRetrieveRequest, EXAMPLES.ragRetrieve) },
  responses: {
    200: json(RagRetrieveResponse, "The chunks.", EXAMPLES.ragRetrieved, ["X-Ignored-Fields"]),
    ...errorResponses(403, 404, 413, 415),
    ...invalidRequest("topK must be at most 100; semanticSearch is required"),
  },
});

/** Shared by adding and removing. */
const ofScopes = {
  ...ofRags,
  path: "/api/rags/{identifier}/scopes" as const,
  request: { params: ragParams, body: jsonRequest(Scope, EXAMPLES.scope) },
};

const guardScopes = [guardRag, mayChangeScopes, ...checkJson(Scope)] as const;

const addRagScope = createRoute({
  ...ofScopes,
  method: "post",
  middleware: [auditAs("rags.scopes.create", "identifier"), ...guardScopes] as const,
  operationId: "addRagScope",
  summary: "Add a scope",
  description:
    "Adds an entry to the RAG's scope list and queues a scan. A RAG in global mode has no list: 422. A token that may not manage scopes: 403.",
  responses: {
    200: json(Done, "The scope was added.", EXAMPLES.ok, ["X-Ignored-Fields", "X-Scope-Files"]),
    ...invalidRequest("value must be relative, without a leading /"),
    ...errorResponses(403, 404, 409, 413, 415, 422),
  },
});

const removeRagScope = createRoute({
  ...ofScopes,
  method: "delete",
  middleware: [auditAs("rags.scopes.remove", "identifier"), ...guardScopes] as const,
  operationId: "removeRagScope",
  summary: "Remove a scope",
  description:
    "Removes an entry from the RAG's scope list. Files outside the remaining scopes leave search at once.",
  responses: {
    200: json(Done, "The scope was removed.", EXAMPLES.ok, ["X-Ignored-Fields"]),
    ...invalidRequest("type must be one of path, externalId; value is required"),
    ...errorResponses(403, 404, 413, 415, 422),
  },
});

export const ragRoutes = new OpenAPIHono<AppEnv>();

ragRoutes.openapi(listRags, async (context) => {
  const services = context.get("services");
  const credential = await credentialIn(services, context.req.raw);
  const { principal, rags: items } = await listPublicRags(services.reads, credential);
  const { actor, reading } = callerFrom(services, context.req.raw, principal);
  context.set("actor", actor);
  const rags = await recountRags(services.reads, reading, items);
  return context.json(rags.map(ragAnswer), 200);
});

type Item = Awaited<ReturnType<typeof listPublicRags>>["rags"][number] &
  Pick<RagRecord, "readBy"> &
  Partial<Pick<ListedRag, "fileCounts">>;

const ragAnswer = ({
  readersSince: _since,
  readBy: _by,
  generation: _live,
  fileCounts: _all,
  ...rag
}: Item) => rag;

ragRoutes.openapi(getRag, (context) => {
  const { rag, caller } = context.var;
  const { id, name, identifier, status, totalFiles, processedFiles, numberVectors } = rag;
  const counts = { totalFiles, processedFiles, numberVectors };
  const isTold = rag.scopeMode === "scoped" && maySeeScopes(rag, caller.mayChange);
  const fileSourceScopes = isTold ? rag.scopes : [];
  const scope = { fileSourceScopeMode: rag.scopeMode, fileSourceScopes };
  return context.json({ id, name, identifier, status, ...counts, ...scope }, 200);
});

ragRoutes.openapi(retrieveFromRag, async (context) => {
  const { rag, services, caller } = context.var;
  const input = context.req.valid("json");
  const { useAllFiles, selectedFiles: files = [], selectedFolders: folders = [] } = input;
  const metadata = input.providerFilter ?? [];
  const restriction = restrictionTo({ ...input, useAllFiles, files, folders, metadata });
  const result = await retrieve(
    services,
    {
      ...input,
      targets: [{ rag: applySearchMode(rag, input), restriction }],
      queries: input.semanticSearch,
    },
    { signal: context.req.raw.signal },
  );
  sendRetrievalUsage(services, { ragIds: [rag.id], tokenId: caller.tokenId }, result);
  const request = { rags: [rag], queries: input.semanticSearch, tokenId: caller.tokenId };
  keepQueries(services, request, result);
  const chunks = result.chunks.map((chunk) => chunkAnswer(chunk, input.includeSources));
  return context.json({ chunks, ...degradedAnswer(caller, result.degradations) }, 200);
});

/** After the routes of files in the specification. */
export const ragScopeRoutes = new OpenAPIHono<AppEnv>();

ragScopeRoutes.openapi(addRagScope, async (context) => {
  const scope = context.req.valid("json");
  const changes = fieldChanges({ before: {}, input: scope, after: scope, schemas: [Scope] });
  const services = recordingServices(context, { changes }, 200);
  const { files } = await addScope(services, { rag: context.var.rag, scope });
  if (files !== null) context.header("X-Scope-Files", files);
  return context.json({ ok: true as const }, 200);
});

ragScopeRoutes.openapi(removeRagScope, async (context) => {
  const scope = context.req.valid("json");
  const services = recordingServices(context, { changes: removedFields(scope) }, 200);
  await removeScope(services, { rag: context.var.rag, scope });
  return context.json({ ok: true as const }, 200);
});
