import { z } from "@hono/zod-openapi";

import { PROVIDERS } from "../../../db/schema/sources.ts";
import { FILE_STATUSES } from "../../../db/schema/rags.ts";
import { folderQuery, newSource, scanRequest, sourcePatch } from "../file-sources.ts";
import { fileFilters, manifestQuery, offsets } from "../source-files.ts";
import { described, listOf, paging, queued, time } from "./described.ts";

const config = z
  .record(z.string(), z.unknown())
  .openapi({ description: "The provider's settings; see the page of docs/ about it." });
const Scan = z
  .object({
    startedAt: time,
    finishedAt: time.nullable(),
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    problems: z.array(z.object({ path: z.string(), message: z.string() })).openapi({
      description: "The first 20 that failed or hold nothing to read, and why.",
    }),
    heldRemovals: z.int(),
    mended: z.object({ added: z.int(), changed: z.int(), removed: z.int() }).nullable(),
    error: z.string().nullable(),
  })
  .openapi("Scan");
const Check = z.object({ ok: z.boolean().nullable(), message: z.string() }).openapi("SourceCheck");
const sourceFields = {
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  provider: z.enum(PROVIDERS),
  config: config.openapi({ description: "The provider's settings; `true` for a set secret." }),
  scanIntervalMinutes: z.int(),
  status: z.enum(["active", "error"]),
  lastScan: Scan.nullable(),
  pushed: z
    .object({ files: z.int(), refused: z.int(), lastRefusedAt: time.nullable() })
    .optional()
    .openapi({ description: "Addresses that were pushed; web sources only." }),
  notifications: z
    .object({ until: time.nullable(), error: z.string().nullable() })
    .optional()
    .openapi({ description: "Until when the provider notifies of changes." }),
  createdAt: time,
};
const Source = z.object(sourceFields).openapi("FileSource");
const CheckedSource = z
  .object({ ...sourceFields, check: Check.optional() })
  .openapi("CheckedFileSource");
const NewSource = z
  .object({ ...sourceFields, webhookSecret: z.string(), check: Check.optional() })
  .openapi("NewFileSource");

const fileStatus = z.enum(FILE_STATUSES);
const File = z
  .object({
    filePath: z.string(),
    name: z.string(),
    externalId: z.string().nullable(),
    url: z.string().nullable(),
    status: fileStatus
      .nullable()
      .openapi({ description: "The worst in any RAG; null where none holds the file." }),
    indexedAt: time.nullable(),
    size: z.int(),
    mimeType: z.string(),
    sha256: z.string().nullable(),
    errorMessage: z.string().nullable(),
    notes: z.array(z.string()),
  })
  .openapi("SourceFile");
const FileDetail = z
  .object({
    filePath: z.string(),
    name: z.string(),
    externalId: z.string().nullable(),
    url: z.string().nullable(),
    size: z.int(),
    mimeType: z.string(),
    sha256: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    createdAt: time,
    deletedAt: time.nullable(),
    rags: z.array(
      z.object({
        ragIdentifier: z.string(),
        ragName: z.string(),
        status: fileStatus,
        indexedAt: time.nullable(),
        errorMessage: z.string().nullable(),
        notes: z.array(z.string()),
        chunkCount: z.int(),
      }),
    ),
  })
  .openapi("FileDetail");
const stored = { path: z.string(), size: z.int(), sha256: z.string(), changed: z.boolean() };
const StoredFile = z.object(stored).openapi("StoredFile");
const BatchAnswer = z
  .object({
    files: z.array(
      z.union([
        z.object({ ...stored, status: z.int() }),
        z.object({ path: z.string(), status: z.int(), error: z.string() }),
      ]),
    ),
  })
  .openapi("BatchAnswer");
const Folder = z
  .object({
    path: z.string(),
    entries: z.array(z.object({ path: z.string(), isFolder: z.boolean() })),
    after: z.string().nullable(),
  })
  .openapi("Folder");
const Manifest = z
  .object({
    files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string().nullable() })),
    cursor: z.string().nullable(),
  })
  .openapi("Manifest");

const SOURCE = "/file-sources/{id}";

const ofSources = [
  described("sources", "get", "/file-sources", {
    summary: "File sources",
    description: "With the last scan of each.",
    query: paging,
    answers: { 200: listOf(Source) },
  }),
  described("sources", "post", "/file-sources", {
    summary: "Add a file source",
    description: "`webhookSecret` is shown this once; `check` says what its provider answered.",
    body: z.object({ ...newSource, config: config.optional() }),
    answers: { 201: { schema: NewSource } },
    errors: [409, 422],
  }),
  described("sources", "get", SOURCE, {
    summary: "A file source",
    description: "Its settings, state and last scan; of secrets only whether they are set.",
    answers: { 200: { schema: Source } },
  }),
  described("sources", "patch", SOURCE, {
    summary: "Change a file source",
    description: "Provider and identifier never change. A secret that is left out is kept.",
    body: z.object({ ...sourcePatch, config }).partial(),
    answers: { 200: { schema: CheckedSource } },
    errors: [409, 422],
  }),
  described("sources", "delete", SOURCE, {
    summary: "Remove a file source",
    description: "Refused while a RAG uses it.",
    answers: { 204: null },
    errors: [409],
  }),
  described("sources", "post", `${SOURCE}/webhook-secret`, {
    summary: "Renew the webhook's secret",
    description: "The old one stops working at once.",
    answers: { 200: { schema: z.object({ webhookSecret: z.string() }) } },
  }),
  described("sources", "post", `${SOURCE}/check`, {
    summary: "Ask the provider whether the source can be read",
    description: "One cheap call; nothing is stored.",
    answers: { 200: { schema: Check } },
  }),
  described("sources", "post", `${SOURCE}/scan`, {
    summary: "Scan now",
    description: "`confirmRemovals` lets a scan remove as much as an earlier one held back.",
    body: scanRequest,
    answers: { 202: queued },
    errors: [409, 422],
  }),
  described("sources", "get", `${SOURCE}/runs`, {
    summary: "Scans, the newest first",
    description: "What each found, removed, held back and mended, or why it failed.",
    query: paging,
    answers: { 200: listOf(Scan) },
  }),
  described("sources", "get", `${SOURCE}/folders`, {
    summary: "What lies directly in a folder",
    description: "200 entries at a time; `after` leads to the next.",
    query: folderQuery,
    answers: { 200: { schema: Folder } },
  }),
];

const ofFiles = [
  described("sources", "get", `${SOURCE}/files`, {
    summary: "Files of a source",
    description: "In order of path, each with its worst state in any RAG.",
    query: paging.extend(fileFilters.shape),
    answers: { 200: listOf(File) },
  }),
  described("sources", "post", `${SOURCE}/files`, {
    summary: "Put many files",
    description: "A part of `multipart/form-data` for each; every file has an answer of its own.",
    bytes: "multipart/form-data",
    answers: { 200: { schema: BatchAnswer } },
    errors: [413, 415],
  }),
  described("sources", "get", `${SOURCE}/files/{path}`, {
    summary: "A file, and how it stands in each RAG",
    description: "Of a removed file too, for as long as its row is kept.",
    answers: { 200: { schema: FileDetail } },
  }),
  described("sources", "put", `${SOURCE}/files/{path}`, {
    summary: "Put a file",
    description: "200 for one that was there, 201 for a new one. `X-File-Metadata` takes JSON.",
    bytes: "application/octet-stream",
    answers: { 200: { schema: StoredFile }, 201: { schema: StoredFile } },
    errors: [413, 415],
  }),
  described("sources", "delete", `${SOURCE}/files/{path}`, {
    summary: "Remove a pushed file",
    description: "Searches find it no more when this is answered.",
    answers: { 204: null },
  }),
  described("sources", "get", `${SOURCE}/manifest`, {
    summary: "Paths, sizes and hashes of pushed files",
    description: "5,000 at a time, so that a push sends only what differs.",
    query: manifestQuery,
    answers: { 200: { schema: Manifest } },
  }),
  described("sources", "get", `${SOURCE}/text/{path}`, {
    summary: "The text that was read from a file",
    description: "`start` and `end` are the offsets that passages tell.",
    query: offsets,
    answers: { 200: { mediaType: "text/plain" } },
  }),
];

export const sourceReference = [...ofSources, ...ofFiles];
