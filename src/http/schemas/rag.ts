import { z } from "@hono/zod-openapi";

import { MAX_NAME_LENGTH, NAME_PATTERN } from "../../sources/file-names.ts";
import { PROVIDERS } from "../../sources/registry.ts";

export const Provider = z
  .enum(PROVIDERS)
  .openapi("Provider", { description: "Kind of file source." });

const FileSourceReference = z
  .object({
    id: z.string().describe("Internal identifier."),
    name: z.string().describe("Display name."),
    identifier: z.string().describe("Identifier of the file source."),
    provider: Provider,
  })
  .openapi("FileSourceReference", { description: "File source of the RAG." });

const common = {
  id: z.string().describe("Internal identifier."),
  name: z.string().openapi({ description: "Display name.", example: "Staff handbook" }),
  identifier: z
    .string()
    .openapi({ description: "Identifier, used in paths.", example: "handbook" }),
  status: z
    .enum(["active", "paused", "error"])
    .describe(
      "paused: an administrator stopped indexing. error: the last scan could not read the file source. What is indexed stays searchable.",
    ),
  totalFiles: z.int().min(0).describe("Files known to the RAG."),
  processedFiles: z.int().min(0).describe("Files that are indexed."),
  numberVectors: z.int().min(0).describe("Vectors stored."),
};

const RagItem = z.object({ ...common, fileSource: FileSourceReference }).openapi("RagItem");

export const RagList = z.array(RagItem).openapi("RagList");

export const Scope = z
  .object({
    type: z.enum(["path", "externalId"]).describe("Kind of the value."),
    value: z.string().min(1).openapi({
      description:
        "A folder's path ends with a slash and includes everything in it; without a slash it is a file. Or the external id of a file or folder in a cloud drive.",
      example: "handbook/",
      maxLength: MAX_NAME_LENGTH,
      pattern: NAME_PATTERN,
    }),
  })
  .openapi("Scope");

export const RagDetail = z
  .object({
    ...common,
    fileSourceScopeMode: z
      .enum(["global", "scoped"])
      .describe(
        "global: the RAG indexes everything in its file source; scoped: what its scopes name.",
      ),
    fileSourceScopes: z.array(Scope).describe("The scope list; empty in global mode."),
  })
  .openapi("RagDetail");

export const Done = z.object({ ok: z.literal(true).describe("Always true.") }).openapi("Done");
