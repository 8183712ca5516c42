import { z } from "@hono/zod-openapi";

import { PROVIDERS } from "../../db/schema/sources.ts";

export const Provider = z.enum(PROVIDERS).openapi("Provider");

const FileSourceReference = z
  .object({ id: z.string(), name: z.string(), identifier: z.string(), provider: Provider })
  .openapi("FileSourceReference");

const common = {
  id: z.string().openapi({ description: "Internal identifier." }),
  name: z.string().openapi({ example: "Staff handbook" }),
  identifier: z.string().openapi({ description: "Slug used in paths.", example: "handbook" }),
  status: z.enum(["active", "paused", "error"]).openapi({
    description:
      "paused: an administrator stopped indexing. error: the last scan could not read the file source. What is indexed stays searchable.",
  }),
  totalFiles: z.int().min(0).openapi({ description: "Files known to the RAG." }),
  processedFiles: z.int().min(0).openapi({ description: "Files that are indexed." }),
  numberVectors: z.int().min(0).openapi({ description: "Vectors stored." }),
};

const RagItem = z.object({ ...common, fileSource: FileSourceReference }).openapi("RagItem");

export const RagList = z.array(RagItem).openapi("RagList");

export const Scope = z
  .object({
    type: z.enum(["path", "externalId"]),
    value: z.string().min(1).openapi({
      description:
        "A folder's path ends with a slash and includes everything beneath it; without one it is a file. Or the external id of a file or folder in a cloud drive.",
      example: "handbook/",
    }),
  })
  .openapi("Scope");

export const RagDetail = z
  .object({
    ...common,
    fileSourceScopeMode: z.enum(["global", "scoped"]),
    fileSourceScopes: z.array(Scope),
  })
  .openapi("RagDetail");

export const Ok = z.object({ ok: z.literal(true) }).openapi("Ok");
