import { z } from "@hono/zod-openapi";

import { PROVIDERS } from "../../sources/registry.ts";

export const Provider = z
  .enum(PROVIDERS)
  .openapi("Provider", { description: "Kind of file source." });

const FileSourceReference = z
  .object({
    id: z.string().openapi({ description: "Internal identifier." }),
    name: z.string().openapi({ description: "Display name." }),
    identifier: z.string().openapi({ description: "Identifier of the file source." }),
    provider: Provider,
  })
  .openapi("FileSourceReference", { description: "File source of the RAG." });

const common = {
  id: z.string().openapi({ description: "Internal identifier." }),
  name: z.string().openapi({ description: "Display name.", example: "Staff handbook" }),
  identifier: z
    .string()
    .openapi({ description: "Identifier, used in paths.", example: "handbook" }),
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
    type: z.enum(["path", "externalId"]).openapi({ description: "Kind of the value." }),
    value: z.string().min(1).openapi({
      description:
        "A folder's path ends with a slash and includes everything in it; without a slash it is a file. Or the external id of a file or folder in a cloud drive.",
      example: "handbook/",
    }),
  })
  .openapi("Scope");

export const RagDetail = z
  .object({
    ...common,
    fileSourceScopeMode: z.enum(["global", "scoped"]).openapi({
      description:
        "global: the RAG indexes everything in its file source; scoped: what its scopes name.",
    }),
    fileSourceScopes: z
      .array(Scope)
      .openapi({ description: "The scope list; empty in global mode." }),
  })
  .openapi("RagDetail");

export const Ok = z
  .object({ ok: z.literal(true).openapi({ description: "Always true." }) })
  .openapi("Ok");
