import { z } from "@hono/zod-openapi";

import {
  checkSelection,
  filterFields,
  filtersOf,
  queries,
  searchFields,
  selectedPaths,
} from "../retrieval/search-request.ts";
import { MAX_SCHEMA_BYTES } from "./response-schema.ts";

/** Entries that name a RAG; one RAG may be named by several. */
const RAGS_LIMIT = 1_000;

export const SelectedFiles = z
  .object({
    ragIdentifier: z.string().describe("Identifier of a linked RAG."),
    files: selectedPaths.describe("Paths or external ids of files."),
  })
  .openapi("SelectedFiles");
export const SelectedFolders = z
  .object({
    ragIdentifier: z.string().describe("Identifier of a linked RAG."),
    folders: selectedPaths.describe("Paths of folders."),
  })
  .openapi("SelectedFolders");
export const ProviderFilter = z
  .object({
    ragIdentifier: z
      .string()
      .optional()
      .describe("Only for this RAG; by default, for all linked RAGs."),
    ...filterFields,
  })
  .openapi("ProviderFilter");

const context = {
  semanticSearch: queries.optional(),
  ...searchFields,
  selectedFiles: z
    .array(SelectedFiles)
    .max(RAGS_LIMIT)
    .optional()
    .openapi({
      description: "Files by RAG: paths or external ids.",
      example: [{ ragIdentifier: "sample", files: ["handbook/leave.md"] }],
    }),
  selectedFolders: z
    .array(SelectedFolders)
    .max(RAGS_LIMIT)
    .optional()
    .openapi({
      description: "Folders by RAG.",
      example: [{ ragIdentifier: "sample", folders: ["handbook/"] }],
    }),
  providerFilter: filtersOf(ProviderFilter).openapi({
    description: "Filter on provider metadata; every entry must match.",
    example: [{ field: "labels", values: ["staff"] }],
  }),
  includeSystemPrompt: z
    .boolean()
    .default(false)
    .openapi("IncludeSystemPrompt", { description: "Return the system prompt in the response." }),
};

type FileSelection = {
  selectedFiles?: z.output<typeof SelectedFiles>[] | undefined;
  selectedFolders?: z.output<typeof SelectedFolders>[] | undefined;
};

const checkSelections = checkSelection<FileSelection & { useAllFiles: boolean }>(
  ({ selectedFiles = [], selectedFolders = [] }) => [
    ...selectedFiles.map(({ files }, at) => {
      return { field: ["selectedFiles", at, "files"], paths: files };
    }),
    ...selectedFolders.map(({ folders }, at) => {
      return { field: ["selectedFolders", at, "folders"], paths: folders };
    }),
  ],
);

export const InferenceRetrieveRequest = z
  .object(context)
  .superRefine(checkSelections)
  .openapi("InferenceRetrieveRequest");

const Prompt = z.string().regex(/\S/, "must not be blank").openapi({
  description: "Text for the model. Searches use semanticSearch, not the prompt.",
  example: "Summarise how leave is asked for.",
});

export const InferenceRunRequest = z
  .object({
    prompt: Prompt,
    ...context,
    jsonSchema: z
      .string()
      .optional()
      .openapi({
        description: [
          "A JSON Schema (draft 2020-12, 2019-09, 7 or 6) serialised as a string; forces the shape",
          "of response. Its root must admit an object or an array, and references must be JSON",
          "pointers inside it.",
        ].join(" "),
        maxLength: MAX_SCHEMA_BYTES,
        example: '{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"]}',
      }),
  })
  .superRefine(checkSelections)
  .openapi("InferenceRunRequest");

export const MESSAGES_LIMIT = 50;

export const AgentInvokeRequest = z.object({
  prompt: Prompt,
  /** Earlier turns, oldest first: the server stores no conversation. */
  messages: z
    .array(z.object({ role: z.enum(["user", "assistant"]), content: z.string() }))
    .max(MESSAGES_LIMIT)
    .optional(),
  includeSystemPrompt: z.boolean().default(false),
  includeSources: z.boolean().optional(),
});
