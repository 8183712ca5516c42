import { z } from "@hono/zod-openapi";

import { Provider } from "./rag.ts";
import { ProviderFilter, SelectedFiles, SelectedFolders } from "../../inference/run-requests.ts";
import { Chunk, Degradation } from "./retrieval.ts";

export const LinkedFileSource = z
  .object({
    ragIdentifier: z.string().openapi({ description: "Identifier of the RAG." }),
    ragName: z.string().openapi({ description: "Display name of the RAG." }),
    identifier: z.string().openapi({ description: "Identifier of the file source." }),
    provider: Provider,
  })
  .openapi("LinkedFileSource");

const InferenceItem = z
  .object({
    name: z.string().openapi({ description: "Display name.", example: "Ask the handbook" }),
    identifier: z.string().openapi({ description: "Identifier, used in paths." }),
    url: z.url().openapi({ description: "Path to run the inference." }),
    createdAt: z.iso
      .datetime({ precision: 3 })
      .openapi({ description: "When it was created, UTC." }),
    fileSources: z.array(LinkedFileSource).openapi({
      description: "Linked RAGs. If there are any, a run requires semanticSearch.",
    }),
  })
  .openapi("InferenceItem");

export const InferenceList = z.array(InferenceItem).openapi("InferenceList");

export const ContentBlock = z
  .object({
    type: z.literal("text").openapi({ description: "Kind of block." }),
    text: z.string().openapi({ description: "Text of the model." }),
  })
  .openapi("ContentBlock");

const ToolCall = z
  .object({
    id: z.string().openapi({ description: "Identifier of the call." }),
    tool: z.string().openapi({ description: "Name of the tool." }),
    ok: z.boolean().openapi({ description: "Whether the tool returned a result." }),
    debug: z
      .object({
        input: z.unknown().openapi({ description: "Arguments from the model." }),
        output: z.string().openapi({ description: "Result of the tool." }),
        durationMs: z.number().openapi({ description: "Milliseconds." }),
      })
      .optional()
      .openapi({ description: "Only with an administrator session." }),
  })
  .openapi("ToolCall");

const Timings = z
  .object({
    contextMs: z.number().openapi({ description: "Milliseconds of retrieval without reranking." }),
    rerankingMs: z.number().openapi({ description: "Milliseconds of reranking." }),
    modelMs: z.number().openapi({ description: "Milliseconds of model calls." }),
    totalMs: z.number().openapi({ description: "Milliseconds of the whole call." }),
  })
  .openapi("Timings");

const Cost = z
  .object({
    amount: z.number().openapi({ description: "Cost of the call." }),
    currency: z.string().openapi({ description: "Currency code of three capitals." }),
  })
  .openapi("Cost");
const Usage = z
  .object({
    inputTokens: z.int().openapi({ description: "Input tokens of the model." }),
    outputTokens: z.int().openapi({ description: "Output tokens of the model." }),
    totalTokens: z.int().openapi({ description: "Sum of both." }),
    cost: Cost.nullable().openapi({ description: "Null if the model has no price." }),
  })
  .openapi("Usage");

/** What a run of an inference and a turn of an agent have in common. */
export const runFields = {
  items: z.array(Chunk).openapi({ description: "Chunks used as context." }),
  toolCalls: z.array(ToolCall).openapi({ description: "One entry for each call of a tool." }),
  systemPrompt: z.string().optional().openapi({ description: "Only with includeSystemPrompt." }),
  degraded: Degradation.optional(),
  timings: Timings.optional().openapi({ description: "Only with an administrator session." }),
  usage: Usage.optional().openapi({ description: "Only with an administrator session." }),
};

const RunParams = z
  .object({
    prompt: z.string().openapi({ description: "As received." }),
    semanticSearch: z.array(z.string()).optional().openapi({ description: "As received." }),
    topK: z.int().openapi({ description: "As received, or its default." }),
    useReranking: z.boolean().openapi({ description: "As received, or its default." }),
    candidateMultiplier: z.int().openapi({ description: "As received, or its default." }),
    similarityThreshold: z.number().optional().openapi({ description: "As received." }),
    includeDuplicates: z.boolean().openapi({ description: "As received, or its default." }),
    jsonSchema: z.string().optional().openapi({ description: "As received." }),
    useAllFiles: z.boolean().openapi({ description: "As received, or its default." }),
    selectedFiles: z.array(SelectedFiles).optional().openapi({ description: "As received." }),
    selectedFolders: z.array(SelectedFolders).optional().openapi({ description: "As received." }),
    providerFilter: z.array(ProviderFilter).optional().openapi({ description: "As received." }),
    includeSystemPrompt: z.boolean().openapi({ description: "As received, or its default." }),
    includeSources: z.boolean().optional().openapi({ description: "As received." }),
  })
  .openapi("InferenceRunParams");

const StructuredResponse = z.record(z.string(), z.unknown()).openapi("StructuredResponse");

export const InferenceRunResponse = z
  .object({
    response: z.union([z.array(ContentBlock), z.array(z.unknown()), StructuredResponse]).openapi({
      description: "Content blocks; with jsonSchema, a value that follows the schema.",
    }),
    inference: z.string().openapi({ description: "Identifier of the inference executed." }),
    params: RunParams.openapi({ description: "The parameters received, with defaults applied." }),
    ...runFields,
  })
  .openapi("InferenceRunResponse");

export const InferenceRetrieveResponse = z
  .object({
    systemPrompt: z.string().openapi({ description: "The system prompt of the inference." }),
    chunks: z.array(Chunk).openapi({ description: "The chunks, best first." }),
    degraded: Degradation.optional(),
  })
  .openapi("InferenceRetrieveResponse");
