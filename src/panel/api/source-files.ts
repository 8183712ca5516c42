import { Hono } from "hono";
import { z } from "zod";

import { findFileSource } from "../../catalog/file-sources/find-file-source.ts";
import { isoTime } from "../../core/time.ts";
import { notFound } from "../../core/errors.ts";
import { findFileDetail, type FileDetail } from "../../db/files/file-detail.ts";
import { FILE_STATUSES } from "../../db/schema/rags.ts";
import { refuseCoded } from "../../http/middleware/json-body.ts";
import { relativePath } from "../../http/schemas/relative-path.ts";
import { parseOrRefuse } from "../../http/validation.ts";
import { listSourceFiles } from "../../ingestion/uploads/list-source-files.ts";
import { utf8Stream } from "../../ingestion/indexing/extracted-texts.ts";
import { manifestPage } from "../../ingestion/uploads/manifest-page.ts";
import { putFile } from "../../ingestion/uploads/put-file.ts";
import { removePushedFile } from "../../ingestion/uploads/remove-pushed-file.ts";
import { readExtractedText } from "../../ingestion/indexing/read-extracted-text.ts";
import { storedPath } from "../../sources/file-names.ts";
import { metadataIn } from "./request/file-metadata.ts";
import { mediaTypeOf } from "./request/media-type-of.ts";
import { filePathOf } from "./request/file-path-of.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { pushedSource } from "./request/pushed-source.ts";
import { pageOf, pagingOf } from "./request/read-request.ts";

type SourceFile = Awaited<ReturnType<typeof listSourceFiles>>["data"][number];

export const fileFilters = z.object({
  status: z.enum(FILE_STATUSES).optional(),
  path: relativePath.transform(storedPath).optional(),
});
export const manifestQuery = z.object({ cursor: z.string().nullable().default(null) });
const offset = z.coerce.number().int().min(0).optional();
export const offsets = z.object({ start: offset, end: offset });

const shown = (file: SourceFile) => ({
  filePath: file.path,
  name: file.name,
  externalId: file.externalId,
  url: file.url,
  status: file.status,
  indexedAt: file.indexedAt === null ? null : isoTime(file.indexedAt),
  size: file.size,
  mimeType: file.mimeType,
  sha256: file.sha256,
  errorMessage: file.errorMessage,
  notes: file.notes,
});

const shownDetail = ({ path, id: _internal, createdAt, deletedAt, rags, ...file }: FileDetail) => ({
  filePath: path,
  ...file,
  createdAt: isoTime(createdAt),
  deletedAt: deletedAt === null ? null : isoTime(deletedAt),
  rags: rags.map(({ indexedAt, ...rag }) => ({
    ...rag,
    indexedAt: indexedAt === null ? null : isoTime(indexedAt),
  })),
});

/** Files of a source, their upload and removal. */
export function sourceFileRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/:id/files", async (context) => {
    const services = context.get("services");
    const { source } = await findFileSource(services, { key: context.req.param("id") });
    const paging = pagingOf(context.req);
    const filter = parseOrRefuse(fileFilters, context.req.query());
    const { page, limit } = paging;
    const listed = await listSourceFiles(services, { source, page, limit, ...filter });
    return context.json(pageOf(listed, paging, shown));
  });

  app.get("/:id/manifest", async (context) => {
    const services = context.get("services");
    const source = await pushedSource(services, context.req.param("id"));
    const { cursor } = parseOrRefuse(manifestQuery, context.req.query());
    return context.json(await manifestPage(services, { source, cursor }));
  });

  app.put("/:id/files/*", async (context) => {
    const services = context.get("services");
    refuseCoded(context.req.raw.headers);
    const source = await pushedSource(services, context.req.param("id"));
    const length = context.req.header("Content-Length");
    const path = filePathOf(context.req.raw.url);
    const { created, ...file } = await putFile(services, {
      source,
      path,
      body: context.req.raw.body ?? new ArrayBuffer(0),
      contentLength: length === undefined ? null : Number(length),
      mimeType: mediaTypeOf(context.req.header("Content-Type"), path),
      metadata: metadataIn(context.req.header("X-File-Metadata")),
    });
    return context.json(file, created ? 201 : 200);
  });

  app.delete("/:id/files/*", async (context) => {
    const services = context.get("services");
    const source = await pushedSource(services, context.req.param("id"));
    await removePushedFile(services, { source, path: filePathOf(context.req.raw.url) });
    return context.body(null, 204);
  });
  addReading(app);
  return app;
}

/** One file: how it stands in each RAG, and the text that was read from it. */
function addReading(app: Hono<PanelEnv>): void {
  app.get("/:id/files/*", async (context) => {
    const services = context.get("services");
    const { source } = await findFileSource(services, { key: context.req.param("id") });
    const path = filePathOf(context.req.raw.url);
    const file = await findFileDetail(services.db, source.id, path);
    if (file === null) throw notFound();
    return context.json(shownDetail(file));
  });

  app.get("/:id/text/*", async (context) => {
    const services = context.get("services");
    const { source } = await findFileSource(services, { key: context.req.param("id") });
    const { start, end } = parseOrRefuse(offsets, context.req.query());
    const path = filePathOf(context.req.raw.url);
    const { text, sha256, status } = await readExtractedText(services, { source, path });
    return context.body(utf8Stream(text.slice(start, end)), {
      headers: {
        "Content-Type": "text/plain; charset=utf-8",
        "X-File-SHA256": sha256,
        ...(status === null ? {} : { "X-File-Status": status }),
      },
    });
  });
}
