import { z } from "@hono/zod-openapi";

import { FILE_STATUSES } from "../../db/schema/rags.ts";
import { UNTYPED } from "../finish-document.ts";
import { MAX_LIMIT } from "../page-query.ts";

const FileStatusName = z
  .enum(FILE_STATUSES)
  .openapi("FileStatusName", { description: "Status of the file's indexing." });

const time = z.iso.datetime({ precision: 3 }).nullable().openapi({
  description: "When it was last indexed; null if never.",
  example: "2026-01-31T08:15:30.123Z",
});
const errorMessage = z.string().nullable().describe("Reason when status is error; null otherwise.");
const size = z.int().min(0).describe("Bytes.");

const entry = {
  filePath: z.string().openapi({ description: "Path of the file.", example: "handbook/leave.md" }),
  name: z.string().openapi({ description: "File name.", example: "leave.md" }),
  status: FileStatusName,
  indexedAt: time,
  size,
  mimeType: z.string().openapi({ description: "Media type.", example: "text/markdown" }),
  errorMessage,
};

const FileEntry = z.object(entry).openapi("FileEntry");

const RagFileEntry = z
  .object({
    ...entry,
    externalId: z
      .string()
      .nullable()
      .describe("The file's id at the provider; null if it has none."),
  })
  .openapi("RagFileEntry");

const page = {
  total: z.int().min(0).describe("Number of files in all pages."),
  page: z.int().min(1).describe("Number of this page, from 1."),
  limit: z.int().min(1).max(MAX_LIMIT).describe("Files on a page."),
};

export const RagFilePage = z
  .object({
    data: z.array(RagFileEntry).describe("Files of this page, in order of path."),
    ...page,
  })
  .openapi("RagFilePage", { [UNTYPED]: true });

const FileGroup = z
  .object({
    ragIdentifier: z.string().describe("Identifier of the RAG."),
    ragName: z.string().describe("Display name of the RAG."),
    files: z.array(FileEntry).describe("Its files on this page."),
  })
  .openapi("FileGroup");

export const InferenceFilePage = z
  .object({
    data: z.array(FileGroup).describe("Files of this page by RAG."),
    ...page,
  })
  .openapi("InferenceFilePage");

export const FileState = z
  .object({
    name: z.string().describe("File name."),
    size,
    status: FileStatusName,
    indexedAt: time,
    errorMessage,
  })
  .openapi("FileState");
