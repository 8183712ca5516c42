import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";

import { liveRowsOf } from "../../access/readers.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import {
  type FileFilter,
  type PublicFile,
  readFilesAfter,
  readFileSlices,
  readPathPage,
} from "../../db/files/public-files.ts";
import type { FileCounts, ListedRag } from "../../db/records.ts";
import { FILE_STATUSES } from "../../db/schema/rags.ts";
import type { Services } from "../../services.ts";
import { storedPath } from "../../sources/file-names.ts";
import { fileAnswer } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { guardRag } from "../middleware/guard.ts";
import { isLimitValid, limitOfPage, limitProblem, page, pageNumbers } from "../page-query.ts";
import { errorResponses, invalidRequest } from "../schemas/error.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { RagFilePage } from "../schemas/file.ts";
import { textStream } from "../text-stream.ts";
import { bearer, json, ragParams, TAGS } from "./route-parts.ts";

const query = z
  .object({
    // Programs whose client was generated send it: they read one form of answer.
    page: page.optional().openapi({ param: { required: true } }),
    limit: limitOfPage,
    status: z.enum(FILE_STATUSES).optional().describe("Only files in this status."),
    path: relativePath
      .optional()
      .openapi({ description: "Only files in this folder, or this file.", example: "handbook/" }),
  })
  .refine(isLimitValid, limitProblem);

const listRagFiles = createRoute({
  method: "get",
  path: "/api/rags/{identifier}/files",
  operationId: "listRagFiles",
  summary: "List files of a RAG",
  description:
    "One page. Older programs send no page: the answer is the array of all files then, and limit is ignored.",
  tags: [TAGS.rags],
  security: bearer,
  middleware: [guardRag] as const,
  request: { params: ragParams, query },
  responses: {
    200: json(
      RagFilePage,
      "A page of files; without page, the array of all files.",
      EXAMPLES.ragFilePage,
    ),
    ...errorResponses(403, 404),
    ...invalidRequest("page must be at least 1; limit must be an integer from 1 to 100"),
  },
});

export const ragFileRoutes = new OpenAPIHono<AppEnv>();

ragFileRoutes.openapi(listRagFiles, async (context) => {
  const { rag, services } = context.var;
  const { page, limit, status = null, path } = context.req.valid("query");
  const filter = { status, path: path === undefined || path === "" ? null : storedPath(path) };
  if (page === undefined) {
    const whole = streamJsonArray(batchesOf(services, rag, filter), ragFileAnswer);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream has no type that the route could check
    return (await whole) as never;
  }
  const cut = pageNumbers(page, limit);
  const { files, total } = await readPage(services, rag, filter, cut);
  const data = files.map(ragFileAnswer);
  return context.json({ data, total, page: cut.page, limit: cut.limit }, 200);
});

const ragFileAnswer = (file: PublicFile) => ({ ...fileAnswer(file), externalId: file.externalId });

/** Only files at a path or below it have to be counted: the RAG's counters hold the other totals. */
async function readPage(
  { reads }: Services,
  rag: ListedRag,
  filter: FileFilter,
  { offset, limit }: { offset: number; limit: number },
) {
  const slice = { ...liveRowsOf(rag), offset, limit, filter };
  if (filter.path !== null) return await readPathPage(reads, slice);
  const total = totalOf(rag.fileCounts, filter.status);
  if (offset >= total) return { files: [], total };
  const [files = []] = await readFileSlices(reads, [slice]);
  return { files, total };
}

export function totalOf(counts: FileCounts, status: keyof FileCounts | null): number {
  if (status !== null) return counts[status];
  return FILE_STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

const BATCH_FILES = 1_000;

async function* batchesOf({ reads }: Services, rag: ListedRag, filter: FileFilter) {
  const live = liveRowsOf(rag);
  let after: string | null = null;
  for (;;) {
    const batch: PublicFile[] = await readFilesAfter(reads, live, filter, after, BATCH_FILES);
    yield batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH_FILES) return;
    after = last.path;
  }
}

/**
 * Answers with a JSON array of unknown length, batch by batch, so that only one batch is in
 * memory. The first is read before the status is sent: an immediate failure is still an error
 * answer.
 */
async function streamJsonArray<Item>(
  batches: AsyncGenerator<Item[], void>,
  answerOf: (item: Item) => unknown,
): Promise<Response> {
  const first = await batches.next();
  const texts = async function* texts() {
    let separator = "[";
    for (let next = first; next.done !== true; next = await batches.next()) {
      yield next.value
        .map((item, at) => (at === 0 ? separator : ",") + JSON.stringify(answerOf(item)))
        .join("");
      if (next.value.length > 0) separator = ",";
    }
    yield separator === "[" ? "[]" : "]";
  };
  return new Response(textStream(texts()), { headers: { "Content-Type": "application/json" } });
}
