import { z } from "@hono/zod-openapi";

import { excludeFromSearch } from "../../catalog/file-sources/exclude-from-search.ts";
import { findFileSource } from "../../catalog/file-sources/find-file-source.ts";
import { requireFound } from "../../core/errors.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import { listExclusions } from "../../db/catalog/exclusion-store.ts";
import { findFileDetail } from "../../db/files/file-store.ts";
import { listFilesOfSource } from "../../db/files/source-file-list.ts";
import { FILE_STATUSES } from "../../db/schema/rags.ts";
import { refuseContentCoding } from "../../http/middleware/json-body.ts";
import { utf8Stream, readExtractedText } from "../../ingestion/indexing/extracted-texts.ts";
import { manifestPage } from "../../ingestion/uploads/manifest-page.ts";
import { describePushedFile, removePushedFile } from "../../ingestion/uploads/pushed-files.ts";
import { putFile } from "../../ingestion/uploads/put-file.ts";
import { storedPath } from "../../sources/file-names.ts";
import { action, recordFiles } from "../action.ts";
import { fieldsOfKind, Endpoints, pageOf, time, timeOrNull, schema } from "./request/endpoint.ts";
import type { Find } from "./request/route.ts";
import { fileMetadata, requirePushed, refusePartial } from "./request/sent-file.ts";
import { readFileHeaders, type SourceRow } from "./request/sent-file.ts";

const MAX_SEARCH_LENGTH = 500;
const fileFilters = z.object({
  status: z.enum(FILE_STATUSES).optional(),
  path: relativePath.transform(storedPath).optional(),
  contains: z.string().max(MAX_SEARCH_LENGTH).optional(),
});
const manifestQuery = z.object({ cursor: z.string().nullable().default(null) });
const offset = z.coerce.number().int().min(0).optional();
const offsets = z.object({ start: offset, end: offset });

const status = z.enum(FILE_STATUSES);
const fields = {
  ...fieldsOfKind(z.string(), "filePath", "name"),
  ...fieldsOfKind(z.string().nullable(), "externalId", "url"),
  size: z.int(),
  mimeType: z.string(),
  sha256: z.string().nullable(),
};
const indexing = {
  indexedAt: timeOrNull,
  errorMessage: z.string().nullable(),
  notes: z.array(z.string()),
};
const File = schema("SourceFile", {
  ...fields,
  status: status.nullable().describe("The worst status in any RAG; null if no RAG has the file."),
  isExcluded: z.boolean().describe("Whether the file is left out of search."),
  ...indexing,
});
const Detail = schema("FileDetail", {
  ...fields,
  metadata: z.record(z.string(), z.unknown()),
  ...fieldsOfKind(time, "modifiedAt", "createdAt"),
  deletedAt: timeOrNull,
  isExcluded: z.boolean(),
  rags: z.array(
    z.object({
      ...fieldsOfKind(z.string(), "ragIdentifier", "ragName"),
      status,
      ...indexing,
      chunkCount: z.int(),
    }),
  ),
});
const Stored = schema("StoredFile", {
  path: z.string(),
  size: z.int(),
  sha256: z.string(),
  changed: z.boolean(),
});
const exclusion = z.object({
  path: relativePath.min(1).transform(storedPath),
  textHash: z
    .string()
    .regex(/^[0-9a-f]+$/)
    .max(64)
    .optional(),
  excerpt: z.string().default(""),
  excluded: z.boolean(),
});
const ExcludedItem = schema("SearchExclusion", {
  kind: z.enum(["file", "passage"]),
  path: z.string(),
  value: z.string().describe("The path, or the hash of the passage's text."),
  excerpt: z.string(),
  createdAt: time,
  createdBy: z.string().nullable(),
});
const Manifest = schema("Manifest", {
  files: z.array(
    z.object({
      path: z.string(),
      size: z.int(),
      sha256: z.string().nullable(),
      readers: z.array(z.string()).nullable(),
    }),
  ),
  cursor: z.string().nullable(),
});

const SOURCE = "/file-sources/{id}";

/** A file that was pushed, or will be. @throws QuarryError `invalid`: the source reads its own */
export const findPushedFile: Find<{ source: SourceRow; path: string }> = async (
  services,
  { key, path },
) => ({ source: requirePushed(await findFileSource(services, { key })), path });

const sourceOfFile = ({ source }: { source: SourceRow }) => source.identifier;

export const fileRemoval = action({
  name: "file-sources.files.remove",
  route: `delete ${SOURCE}/files/{path}`,
  about: "Remove a pushed file. Searches no longer find the file when this call answers.",
  find: findPushedFile,
  work: ({ services, subject }) => removePushedFile(services, subject),
  target: sourceOfFile,
  files: () => 1,
  notice: "The file is removed. Searches no longer find it.",
});

export const metadataChange = action({
  name: "file-sources.files.change",
  route: `patch ${SOURCE}/files/{path}`,
  about:
    "Replace a pushed file's metadata. Searches filter by it within seconds; nothing is read or embedded again.",
  find: async (services, address) => {
    const { source, path } = await findPushedFile(services, address);
    return { source, ...requireFound(await findFileDetail(services.db, source.id, path)) };
  },
  body: z.object({ metadata: fileMetadata }),
  work: ({ services, subject: { source, path }, body: { metadata } }) =>
    describePushedFile(services, { source, path, metadata }),
  previousValues: ({ metadata }) => ({ metadata }),
  target: ({ source, path }) => `${source.identifier}/${path}`,
  notice: "The metadata is saved. Searches use it in seconds.",
});

export const fileExclusion = action({
  name: "file-sources.exclusions.put",
  route: `put ${SOURCE}/exclusions`,
  about:
    "Leave a file or a passage out of search, or take it in again. With `textHash` of a passage, the passage, and every equal one of the source. It stays out when the file is indexed again.",
  find: findFileSource,
  body: exclusion,
  work: async ({ context, services, subject: { source }, body }) => {
    const { path, textHash, excerpt, excluded } = body;
    const passage = textHash === undefined ? null : { textHash, excerpt };
    const by = context.get("actor")?.name ?? null;
    await excludeFromSearch(services, { source, path, passage, excluded, by });
    const what = passage === null ? "The file" : "The passage";
    return `${what} ${excluded ? "is left out of every search." : "is found again."}`;
  },
  target: sourceOfFile,
  notice: (outcome) => outcome,
});

export const sourceFileRoutes = new Endpoints("sources", findFileSource)
  .list(
    `get ${SOURCE}/files`,
    "Files of a source. In order of path, each with its worst state in any RAG. `path` is a folder or a file; `contains` is any part of a path, among the first 100,000.",
    { query: fileFilters, item: File },
    async ({ services, subject: { source }, query, paging: { offset, limit } }) => {
      const slice = { sourceId: source.id, offset, limit, ...query };
      return pageOf(await listFilesOfSource(services.db, slice), (file) =>
        Object.assign(file, { filePath: file.path }),
      );
    },
  )
  .json(
    `get ${SOURCE}/manifest`,
    "Paths, sizes and hashes of pushed files. 5,000 at a time, so that a push sends only what differs.",
    { query: manifestQuery, answer: Manifest },
    ({ services, subject, query: { cursor } }) =>
      manifestPage(services, { source: requirePushed(subject), cursor }),
  )
  .raw(
    `put ${SOURCE}/files/{path}`,
    "Upload a file. 200 for an existing file, 201 for a new one. `X-File-Metadata` takes JSON, `X-File-Modified` an ISO 8601 time, `X-File-Readers` a JSON list of who may read it.",
    { name: "file-sources.files.put", bytes: ["application/octet-stream"] },
    { 200: { schema: Stored }, 201: { schema: Stored } },
    async ({ context, services, subject, path }) => {
      const { raw } = context.req;
      refuseContentCoding(raw.headers);
      refusePartial(raw.headers);
      const length = context.req.header("Content-Length");
      const source = requirePushed(subject);
      const { created, ...file } = await putFile(services, {
        source,
        path,
        body: raw.body ?? new ArrayBuffer(0),
        contentLength: length === undefined ? null : Number(length),
        ...readFileHeaders((name) => raw.headers.get(name), path),
      });
      recordFiles(context, { action: "file-sources.files.put", source, files: 1 });
      return context.json(file, created ? 201 : 200);
    },
  )
  .action(fileRemoval)
  .action(metadataChange)
  .json(
    `get ${SOURCE}/files/{path}`,
    "A file and its status in each RAG. Removed files are included while their row is kept.",
    { answer: Detail },
    async ({ services, subject: { source }, path }) => {
      const file = requireFound(await findFileDetail(services.db, source.id, path));
      return { ...file, filePath: file.path };
    },
  )
  .raw(
    `get ${SOURCE}/text/{path}`,
    "The text that was read from a file. `start` and `end` are the offsets that passages tell.",
    { query: offsets },
    { 200: { mediaTypes: ["text/plain"] } },
    async ({ context, services, subject: { source }, path, query: { start, end } }) => {
      const extracted = await readExtractedText(services, { source, path });
      return context.body(utf8Stream(extracted.text.slice(start, end)), {
        headers: {
          "Content-Type": "text/plain; charset=utf-8",
          "X-File-SHA256": extracted.sha256,
          ...(extracted.status === null ? {} : { "X-File-Status": extracted.status }),
        },
      });
    },
  )
  .list(
    `get ${SOURCE}/exclusions`,
    "What is left out of search. Files by path, passages by the hash of their text.",
    { item: ExcludedItem },
    ({ services, subject: { source }, paging: { offset, limit } }) =>
      listExclusions(services.db, { sourceId: source.id, offset, limit }),
  )
  .action(fileExclusion).app;
