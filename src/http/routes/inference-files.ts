import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";

import { liveRowsOf } from "../../access/readers.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { MUST_BE_RELATIVE } from "../../core/input/input-fields.ts";
import {
  type FileSlice,
  findFileStatuses,
  type PublicFile,
  readFileSlices,
} from "../../db/files/public-files.ts";
import type { ListedRag } from "../../db/records.ts";
import { FILE_STATUSES_BY_PROGRESS } from "../../db/schema/rags.ts";
import { storedFormsOf } from "../../sources/file-names.ts";
import { fileAnswer, fileStateAnswer } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { guardInference, type InferenceEnv } from "../middleware/guard.ts";
import { limit, page, pageNumbers } from "../page-query.ts";
import { errorResponses, invalidRequest } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { FileState, InferenceFilePage } from "../schemas/file.ts";
import { totalOf } from "./rag-files.ts";
import { bearer, inferenceParams, json, TAGS } from "./route-parts.ts";

const listInferenceFiles = createRoute({
  method: "get",
  path: "/api/inferences/{identifier}/files",
  operationId: "listInferenceFiles",
  summary: "Indexed files behind an inference",
  description:
    "Files of the linked RAGs, grouped by RAG. Pages count files: a RAG may be split across two pages, so merge groups by ragIdentifier.",
  tags: [TAGS.inferences],
  security: bearer,
  middleware: [guardInference] as const,
  request: {
    params: inferenceParams,
    query: z.object({
      page,
      limit,
      ragIdentifier: z.string().optional().describe("Restrict to one RAG."),
    }),
  },
  responses: {
    200: json(InferenceFilePage, "A page of files.", EXAMPLES.inferenceFilePage),
    ...errorResponses(403, 404),
    ...invalidRequest("page is required"),
  },
});

/** The source is part of the path: it is looked up before the query is validated. */
const guardSource = createMiddleware<InferenceEnv>(async (context, next) => {
  const { rags } = context.get("inference");
  const identifier = context.req.param("file_source_identifier");
  if (!rags.some(({ fileSource }) => fileSource.identifier === identifier)) throw notFound();
  await next();
});

const getFileStatus = createRoute({
  method: "get",
  path: "/api/inferences/{identifier}/file-sources/{file_source_identifier}",
  operationId: "getFileStatus",
  summary: "Status of one file",
  description: "Says whether a file of one of the inference's sources is indexed.",
  tags: [TAGS.inferences],
  security: bearer,
  middleware: [guardInference, guardSource] as const,
  request: {
    params: inferenceParams.extend({
      file_source_identifier: z
        .string()
        .openapi({ description: "Identifier of the file source.", example: "sample" }),
    }),
    query: z.object({
      file: z.string().min(1, "is required").openapi({
        description: "Relative path or external identifier of the file.",
        example: "handbook/leave.md",
      }),
    }),
  },
  responses: {
    200: json(FileState, "The file's state.", EXAMPLES.fileState),
    ...errorResponses(403, 404),
    ...invalidRequest("file is required"),
  },
});

export const inferenceFileRoutes = new OpenAPIHono<AppEnv>();

inferenceFileRoutes.openapi(listInferenceFiles, async (context) => {
  const { inference, services } = context.var;
  const { ragIdentifier, ...query } = context.req.valid("query");
  const cut = pageNumbers(query.page, query.limit);
  const rags = inference.rags.filter(
    ({ identifier }) => ragIdentifier === undefined || identifier === ragIdentifier,
  );
  const slices = slicesOf(rags, cut);
  const files = await readFileSlices(
    services.reads,
    slices.map(({ slice }) => slice),
  );
  const groups = slices.map(({ rag }, at) => ({
    ragIdentifier: rag.identifier,
    ragName: rag.name,
    files: (files[at] ?? []).map(fileAnswer),
  }));
  const data = groups.filter(({ files }) => files.length > 0);
  const total = rags.reduce((sum, rag) => sum + totalOf(rag.fileCounts, null), 0);
  return context.json({ data, total, page: cut.page, limit: cut.limit }, 200);
});

/** The slices of the RAGs' lists, one behind the other, that fall on the page, by counters. */
function slicesOf(rags: ListedRag[], { offset, limit }: { offset: number; limit: number }) {
  const slices: { rag: ListedRag; slice: FileSlice }[] = [];
  let skip = offset;
  let room = limit;
  for (const rag of rags) {
    const total = totalOf(rag.fileCounts, null);
    const take = Math.min(room, Math.max(0, total - skip));
    const filter = { status: null, path: null };
    const slice = { ...liveRowsOf(rag), offset: skip, limit: take, filter };
    if (take > 0) slices.push({ rag, slice });
    skip = Math.max(0, skip - total);
    room -= take;
  }
  return slices;
}

inferenceFileRoutes.openapi(getFileStatus, async (context) => {
  const { inference, services } = context.var;
  const { file_source_identifier: identifier } = context.req.valid("param");
  const { file } = context.req.valid("query");
  const rags = inference.rags.filter(({ fileSource }) => fileSource.identifier === identifier);
  const [first] = rags;
  if (first === undefined) throw notFound();
  const live = rags.map(liveRowsOf);
  const states = await findFileStatuses(
    services.reads,
    first.fileSource.id,
    live,
    storedFormsOf(file),
  );
  const state = aggregateFileStatus(states);
  if (state !== null) return context.json(fileStateAnswer(state), 200);
  // Only now, because keys of a bucket, which are external identifiers, may begin with a slash.
  throw file.startsWith("/") ? invalidField("file", MUST_BE_RELATIVE) : notFound();
});

/** The state of a file that several RAGs index: the least finished one. */
export function aggregateFileStatus(states: readonly PublicFile[]): PublicFile | null {
  const rank = ({ status }: PublicFile) => FILE_STATUSES_BY_PROGRESS.indexOf(status);
  return states.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}
