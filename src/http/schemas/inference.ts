import { z } from "@hono/zod-openapi";

import { Provider } from "./rag.ts";
import { Chunk, Degradation, queries, searchFields } from "./retrieval.ts";

export const LinkedFileSource = z
  .object({
    ragIdentifier: z.string(),
    ragName: z.string(),
    identifier: z.string().openapi({ description: "Identifier of the file source." }),
    provider: Provider,
  })
  .openapi("LinkedFileSource");

const InferenceItem = z
  .object({
    name: z.string().openapi({ example: "Ask the handbook" }),
    identifier: z.string().openapi({ description: "Slug used in paths." }),
    url: z.url().openapi({ description: "Where the inference is run." }),
    createdAt: z.iso.datetime({ precision: 3 }),
    fileSources: z.array(LinkedFileSource).openapi({
      description: "Linked RAGs; with any, semanticSearch must be sent when running.",
    }),
  })
  .openapi("InferenceItem");

export const InferenceList = z.array(InferenceItem).openapi("InferenceList");

const SelectedFiles = z
  .object({ ragIdentifier: z.string(), files: z.array(z.string()) })
  .openapi("SelectedFiles");
const SelectedFolders = z
  .object({ ragIdentifier: z.string(), folders: z.array(z.string()) })
  .openapi("SelectedFolders");
const ProviderFilter = z
  .object({
    ragIdentifier: z.string().optional(),
    field: z.string().openapi({ description: "A key of the file's metadata.", example: "labels" }),
    values: z.array(z.string()).openapi({ description: "One of them must match." }),
  })
  .openapi("ProviderFilter");

const context = {
  semanticSearch: queries.optional(),
  ...searchFields,
  selectedFiles: z
    .array(SelectedFiles)
    .optional()
    .openapi({ description: "Files by RAG: paths or external ids." }),
  selectedFolders: z.array(SelectedFolders).optional().openapi({ description: "Folders by RAG." }),
  providerFilter: z
    .array(ProviderFilter)
    .optional()
    .openapi({ description: "Filter on provider metadata; every entry must match." }),
  includeSystemPrompt: z
    .boolean()
    .default(false)
    .openapi("IncludeSystemPrompt", { description: "Return the system prompt in the response." }),
};

export const InferenceRetrieveRequest = z.object(context).openapi("InferenceRetrieveRequest");

export const Prompt = z.string().regex(/\S/, "must not be blank").openapi({
  description: "What the model receives; it takes no part in the document search.",
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
          "A JSON Schema (draft 2020-12, or 2019-09, 7, 6 or 4 where $schema says so) serialised as",
          "a string; forces the shape of response. Its root must admit an object or an array, and",
          "references must stay inside it.",
        ].join(" "),
      }),
  })
  .openapi("InferenceRunRequest");

export const ContentBlock = z
  .object({ type: z.literal("text"), text: z.string() })
  .openapi("ContentBlock");

const ToolCall = z
  .object({
    id: z.string(),
    tool: z.string(),
    ok: z.boolean(),
    debug: z
      .object({ input: z.unknown(), output: z.string(), durationMs: z.number() })
      .optional()
      .openapi({ description: "Only with an administrator session." }),
  })
  .openapi("ToolCall");

const Timings = z
  .object({
    contextMs: z.number(),
    rerankingMs: z.number(),
    modelMs: z.number(),
    totalMs: z.number(),
  })
  .openapi("Timings");

const Cost = z.object({ amount: z.number(), currency: z.string() }).openapi("Cost");
const Usage = z
  .object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    totalTokens: z.int(),
    cost: Cost.nullable().openapi({ description: "Null when the model has no price." }),
  })
  .openapi("Usage");

/** What a run of an inference and a turn of an agent have in common. */
export const runFields = {
  items: z.array(Chunk).openapi({ description: "Fragments used as context." }),
  toolCalls: z.array(ToolCall),
  systemPrompt: z.string().optional().openapi({ description: "Only with includeSystemPrompt." }),
  degraded: Degradation.optional(),
  timings: Timings.optional().openapi({ description: "Only with an administrator session." }),
  usage: Usage.optional().openapi({ description: "Only with an administrator session." }),
};

const RunParams = z
  .object({
    prompt: z.string(),
    semanticSearch: z.array(z.string()).optional(),
    topK: z.int(),
    useReranking: z.boolean(),
    candidateMultiplier: z.int(),
    similarityThreshold: z.number().optional(),
    includeDuplicates: z.boolean(),
    jsonSchema: z.string().optional(),
    useAllFiles: z.boolean(),
    selectedFiles: z.array(SelectedFiles).optional(),
    selectedFolders: z.array(SelectedFolders).optional(),
    providerFilter: z.array(ProviderFilter).optional(),
    includeSystemPrompt: z.boolean(),
    includeSources: z.boolean().optional(),
  })
  .openapi("InferenceRunParams");

const StructuredResponse = z.record(z.string(), z.unknown()).openapi("StructuredResponse");

export const InferenceRunResponse = z
  .object({
    response: z.union([z.array(ContentBlock), z.array(z.unknown()), StructuredResponse]).openapi({
      description: "Content blocks; with jsonSchema what follows that schema.",
    }),
    inference: z.string().openapi({ description: "Identifier of the inference executed." }),
    params: RunParams.openapi({ description: "The parameters received, with defaults applied." }),
    ...runFields,
  })
  .openapi("InferenceRunResponse");

export const InferenceRetrieveResponse = z
  .object({
    systemPrompt: z.string(),
    chunks: z.array(Chunk),
    degraded: Degradation.optional(),
  })
  .openapi("InferenceRetrieveResponse");
