import { Hono } from "hono";
import { z } from "zod";

import { recountRags } from "../../access/readers.ts";
import { SECOND_MS } from "../../core/time.ts";
import { listCoveredRags } from "../../db/access/public-lists.ts";
import type { ListedRag } from "../../db/records.ts";
import { degradedAnswer } from "../../http/answers.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { callerFrom, credentialIn } from "../../http/caller.ts";
import { guardRag, guardSearch } from "../../http/middleware/guard.ts";
import { reportIgnoredFields } from "../../http/middleware/ignored-fields.ts";
import { readJson } from "../../http/middleware/json-body.ts";
import type { RetrievedChunk } from "../../retrieval/score-chunks.ts";
import { fileIdOf } from "../file-address.ts";
import { attributesOf, type Attributes } from "../file-fields.ts";
import { requireAccess } from "../require-token.ts";
import { search } from "../search.ts";
import { parseBody, refuse } from "./errors.ts";
import { readFilters } from "./filters.ts";

/* See https://platform.openai.com/docs/api-reference/vector-stores/search */

const QUERIES_LIMIT = 10;
const RESULTS_LIMIT = 50;
const RESULTS_DEFAULT = 10;
const PAGE_LIMIT = 100;
const PAGE_DEFAULT = 20;

const Query = z.string().regex(/\S/, "must not be blank");

export const SearchRequest = z.object({
  query: z.union([Query, z.array(Query).min(1).max(QUERIES_LIMIT)]),
  max_num_results: z.int().min(1).max(RESULTS_LIMIT).nullish(),
  filters: z.unknown().optional(),
  ranking_options: z
    .object({
      ranker: z.string().nullish(),
      score_threshold: z.number().min(0).max(1).nullish(),
    })
    .nullish(),
});

export function vectorStoreRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get("/vector_stores", requireAccess, async (context) => {
    const services = context.get("services");
    const credential = await credentialIn(services, context.req.raw);
    const { principal, rags } = await listCoveredRags(services.reads, credential);
    const { actor, reading } = callerFrom(services, context.req.raw, principal);
    context.set("actor", actor);
    const rows = await recountRags(services.reads, reading, rags);
    return context.json(pageOf(rows.map(storeAnswer), context.req.query()));
  });

  app.get("/vector_stores/:identifier", requireAccess, guardRag, (context) =>
    context.json(storeAnswer(context.get("rag"))),
  );

  app.post("/vector_stores/:identifier/search", requireAccess, guardSearch, async (context) => {
    const { rag, caller, services } = context.var;
    const body = await readJson(context.req.raw);
    reportIgnoredFields(context, SearchRequest, body);
    const request = parseBody(SearchRequest, body);
    const queries = typeof request.query === "string" ? [request.query] : request.query;
    const { chunks, degradations } = await search(services, {
      rags: [rag],
      queries,
      topK: request.max_num_results ?? RESULTS_DEFAULT,
      threshold: request.ranking_options?.score_threshold ?? undefined,
      reranks: request.ranking_options?.ranker !== "none",
      condition: readFilters(request.filters),
      caller,
      signal: context.req.raw.signal,
    });
    const attributes = await attributesOf(services.reads, rag, chunks);
    return context.json({
      object: "vector_store.search_results.page",
      search_query: queries,
      data: chunks.map((chunk) => resultAnswer(chunk, attributes.get(chunk.source.filePath) ?? {})),
      has_more: false,
      next_page: null,
      ...degradedAnswer(caller, degradations),
    });
  });

  return app;
}

type Store = ReturnType<typeof storeAnswer>;

/** https://platform.openai.com/docs/api-reference/vector-stores/object */
function storeAnswer({ id, identifier, name, totalFiles, processedFiles, fileCounts }: ListedRag) {
  const { error: failed } = fileCounts;
  const waiting = Math.max(0, totalFiles - processedFiles - failed);
  return {
    id: identifier,
    object: "vector_store" as const,
    created_at: Math.floor(creationTimeOf(id) / SECOND_MS),
    name,
    description: null,
    // The size of texts and vectors is not counted.
    usage_bytes: 0,
    file_counts: {
      in_progress: waiting,
      completed: processedFiles,
      failed,
      cancelled: 0,
      total: totalFiles,
    },
    status: waiting > 0 ? ("in_progress" as const) : ("completed" as const),
    expires_at: null,
    last_active_at: null,
    metadata: {},
  };
}

const TIME_DIGITS = 12;

/** RFC 9562: the first 48 bits of a UUIDv7 are its time in ms. */
const creationTimeOf = (id: string) =>
  Number.parseInt(id.replaceAll("-", "").slice(0, TIME_DIGITS), 16) || 0;

/** A page after or before an id; newest first unless `order` is `asc`. */
function pageOf(stores: Store[], query: Record<string, string>) {
  const limit = limitIn(query["limit"]);
  const { order = "desc" } = query;
  if (order !== "asc" && order !== "desc") throw refuse("order", "must be asc or desc");
  const ascending = order === "asc";
  const sorted = stores.toSorted((a, b) =>
    ascending ? a.created_at - b.created_at : b.created_at - a.created_at,
  );
  const { after, before } = query;
  const from = after === undefined ? 0 : positionOf(sorted, after, "after") + 1;
  const to = before === undefined ? sorted.length : positionOf(sorted, before, "before");
  const within = sorted.slice(from, to);
  const data = before === undefined ? within.slice(0, limit) : within.slice(-limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: data.length < within.length,
  };
}

function limitIn(text: string | undefined): number {
  if (text === undefined) return PAGE_DEFAULT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= PAGE_LIMIT) return limit;
  throw refuse("limit", `must be an integer from 1 to ${PAGE_LIMIT}`);
}

function positionOf(stores: Store[], id: string, param: string): number {
  const at = stores.findIndex((store) => store.id === id);
  if (at === -1) throw refuse(param, "names no vector store that the token covers");
  return at;
}

/** `attributes` has the file's metadata and what a citation needs; `file_id` is what the MCP tool `fetch` takes. */
function resultAnswer({ text, score, source }: RetrievedChunk, metadata: Attributes) {
  const { ragIdentifier: rag, filePath: path, url, externalId, page, headings } = source;
  const { position, start, end } = source;
  return {
    file_id: fileIdOf({ rag, path }),
    filename: path,
    score,
    attributes: {
      ...metadata,
      path,
      ...(url === null ? {} : { url }),
      ...(externalId === null ? {} : { external_id: externalId }),
      ...(page === null ? {} : { page }),
      ...(headings.length === 0 ? {} : { headings: headings.join(" › ") }),
      position,
      start,
      end,
    },
    content: [{ type: "text" as const, text }],
  };
}
