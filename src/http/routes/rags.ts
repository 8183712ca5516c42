import { createRoute, OpenAPIHono } from "@hono/zod-openapi";

import { listedFor } from "../../access/readers.ts";
import { keepQueries } from "../../catalog/usage/keep-queries.ts";
import { sendRetrievalUsage } from "../../catalog/usage/send-usage.ts";
import { listPublicRags } from "../../db/access/public-lists.ts";
import type { ListedRag, RagRecord } from "../../db/records.ts";
import { restrictionTo } from "../../retrieval/retrieval-request.ts";
import { retrieve } from "../../retrieval/retrieve.ts";
import { searchedAs } from "../../retrieval/search-mode.ts";
import { chunkAnswer, degradedFor } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { callerFrom, credentialIn } from "../caller.ts";
import { guardRag, guardSearch } from "../middleware/guard.ts";
import { errors, invalidRequest } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { RagDetail, RagList } from "../schemas/rag.ts";
import { RagRetrieveRequest } from "../../retrieval/search-request.ts";
import { RagRetrieveResponse } from "../schemas/retrieval.ts";
import { bearer, json, jsonRequest, ragParams, TAGS, readsJson } from "./route-parts.ts";

const listRags = createRoute({
  method: "get",
  path: "/api/rags",
  operationId: "listRags",
  summary: "List RAGs",
  description: "The RAGs that the token may access, in order of identifier.",
  tags: [TAGS.rags],
  security: bearer,
  responses: { 200: json(RagList, "The permitted RAGs.", EXAMPLES.ragList), ...errors() },
});

const getRag = createRoute({
  method: "get",
  path: "/api/rags/{identifier}",
  operationId: "getRag",
  summary: "RAG status",
  description: "One RAG with its counts and its scope list.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [guardRag] as const,
  request: { params: ragParams },
  responses: { 200: json(RagDetail, "The RAG.", EXAMPLES.ragDetail), ...errors(403, 404) },
});

const retrieveFromRag = createRoute({
  method: "post",
  path: "/api/rags/{identifier}/retrieve",
  operationId: "retrieveFromRag",
  summary: "Semantic search in one RAG",
  description:
    "Returns the chunks that match the queries, without calling a model. If a part of the search is down, the answer has degraded instead of an error.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [guardSearch, ...readsJson(RagRetrieveRequest)] as const,
  request: { params: ragParams, body: jsonRequest(RagRetrieveRequest, EXAMPLES.ragRetrieve) },
  responses: {
    200: json(RagRetrieveResponse, "The chunks.", EXAMPLES.ragRetrieved, ["X-Ignored-Fields"]),
    ...errors(403, 404, 413, 415),
    ...invalidRequest("topK must be at most 100; semanticSearch is required"),
  },
});

export const ragRoutes = new OpenAPIHono<AppEnv>();

ragRoutes.openapi(listRags, async (context) => {
  const services = context.get("services");
  const credential = await credentialIn(services, context.req.raw);
  const { principal, rags: items } = await listPublicRags(services.reads, credential);
  const { actor, reading } = callerFrom(services, context.req.raw, principal);
  context.set("actor", actor);
  const listed = await listedFor(services.reads, reading, items);
  return context.json(listed.map(ragAnswer), 200);
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
  const { id, name, identifier, status, totalFiles, processedFiles, numberVectors, ...rag } =
    context.get("rag");
  const counts = { totalFiles, processedFiles, numberVectors };
  const fileSourceScopes = rag.scopeMode === "scoped" ? rag.scopes : [];
  const scope = { fileSourceScopeMode: rag.scopeMode, fileSourceScopes };
  return context.json({ id, name, identifier, status, ...counts, ...scope }, 200);
});

ragRoutes.openapi(retrieveFromRag, async (context) => {
  const { rag, services, caller } = context.var;
  const input = context.req.valid("json");
  const { useAllFiles, selectedFiles: files = [], selectedFolders: folders = [] } = input;
  const metadata = input.providerFilter ?? [];
  const restriction = restrictionTo({ ...input, useAllFiles, files, folders, metadata });
  const found = await retrieve(
    services,
    {
      ...input,
      targets: [{ rag: searchedAs(rag, input), restriction }],
      queries: input.semanticSearch,
    },
    { signal: context.req.raw.signal },
  );
  sendRetrievalUsage(services, { ragIds: [rag.id], tokenId: caller.tokenId }, found);
  const asked = { rags: [rag], queries: input.semanticSearch, tokenId: caller.tokenId };
  keepQueries(services, asked, found);
  const chunks = found.chunks.map((chunk) => chunkAnswer(chunk, input.includeSources));
  return context.json({ chunks, ...degradedFor(caller, found.degradations) }, 200);
});
