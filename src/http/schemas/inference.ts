import { z } from "@hono/zod-openapi";

import { searchSettings } from "../../core/input/search-settings.ts";
import { ProviderFilter, SelectedFiles, SelectedFolders } from "../../inference/run-requests.ts";
import { queries } from "../../retrieval/search-request.ts";
import { Provider } from "./rag.ts";
import { Chunk, Degradation } from "./retrieval.ts";

export const LinkedFileSource = z
  .object({
    ragIdentifier: z.string().describe("Identifier of the RAG."),
    ragName: z.string().describe("Display name of the RAG."),
    identifier: z.string().describe("Identifier of the file source."),
    provider: Provider,
  })
  .openapi("LinkedFileSource");

const InferenceItem = z
  .object({
    name: z.string().openapi({ description: "Display name.", example: "Ask the handbook" }),
    identifier: z.string().describe("Identifier, used in paths."),
    url: z.url().describe("Path to run the inference."),
    createdAt: z.iso.datetime({ precision: 3 }).describe("When it was created, UTC."),
    fileSources: z
      .array(LinkedFileSource)
      .describe("Linked RAGs. If there are any, a run requires semanticSearch."),
  })
  .openapi("InferenceItem");

export const InferenceList = z.array(InferenceItem).openapi("InferenceList");

const Citation = z
  .object({
    item: z.int().min(0).describe("Place of the supporting chunk in items, from 0."),
    start: z.int().min(0).describe("Offset of the supported part of text, in UTF-16 code units."),
    end: z.int().min(0).describe("Offset of the first character after it."),
  })
  .openapi("Citation");

export const ContentBlock = z
  .object({
    type: z.literal("text").describe("Kind of block."),
    text: z.string().describe("Text of the model."),
    isCut: z
      .literal(true)
      .optional()
      .describe("Only if a limit of tokens or time, or a filter, ends the text."),
    citations: z
      .array(Citation)
      .optional()
      .describe("Only with includeSources: what supports which part of the text."),
  })
  .openapi("ContentBlock");

const ToolCall = z
  .object({
    id: z.string().describe("Identifier of the call."),
    tool: z.string().describe("Name of the tool."),
    ok: z.boolean().describe("Whether the tool returned a result."),
    debug: z
      .object({
        input: z.unknown().describe("Arguments from the model."),
        output: z.string().describe("Result of the tool."),
        durationMs: z.number().min(0).describe("Milliseconds."),
      })
      .optional()
      .describe("Only with an administrator session."),
  })
  .openapi("ToolCall");

const Timings = z
  .object({
    contextMs: z.number().min(0).describe("Milliseconds of retrieval without reranking."),
    rerankingMs: z.number().min(0).describe("Milliseconds of reranking."),
    modelMs: z.number().min(0).describe("Milliseconds of model calls."),
    totalMs: z.number().min(0).describe("Milliseconds of the whole call."),
  })
  .openapi("Timings");

const Cost = z
  .object({
    amount: z.number().min(0).describe("Cost of the call."),
    currency: z.string().describe("Currency code of three capitals."),
  })
  .openapi("Cost");
const Usage = z
  .object({
    inputTokens: z.int().min(0).describe("Input tokens of the model."),
    outputTokens: z.int().min(0).describe("Output tokens of the model."),
    totalTokens: z.int().min(0).describe("Sum of both."),
    cost: Cost.nullable().describe("Null if the model has no price."),
  })
  .openapi("Usage");

/** Fields that a run of an inference and a turn of an agent share. */
export const runFields = {
  items: z.array(Chunk).describe("Chunks used as context."),
  toolCalls: z.array(ToolCall).describe("One entry for each call of a tool."),
  systemPrompt: z.string().optional().describe("Only with includeSystemPrompt."),
  degraded: Degradation.optional(),
  timings: Timings.optional().describe("Only with an administrator session."),
  usage: Usage.optional().describe("Only with an administrator session."),
};

const search = searchSettings.shape;

const RunParams = z
  .object({
    prompt: z.string().describe("As received."),
    semanticSearch: queries.optional().describe("As received."),
    topK: search.topK.describe("As received, or its default."),
    useReranking: z.boolean().describe("As received, or its default."),
    candidateMultiplier: search.candidateMultiplier.describe("As received, or its default."),
    similarityThreshold: search.similarityThreshold.optional().describe("As received."),
    includeDuplicates: z.boolean().describe("As received, or its default."),
    jsonSchema: z.string().optional().describe("As received."),
    useAllFiles: z.boolean().describe("As received, or its default."),
    selectedFiles: z.array(SelectedFiles).optional().describe("As received."),
    selectedFolders: z.array(SelectedFolders).optional().describe("As received."),
    providerFilter: z.array(ProviderFilter).optional().describe("As received."),
    includeSystemPrompt: z.boolean().describe("As received, or its default."),
    includeSources: z.boolean().optional().describe("As received."),
  })
  .openapi("InferenceRunParams");

export const InferenceRunResponse = z
  .object({
    response: z
      .any()
      .refine((response) => response !== undefined)
      .describe(
        "Without jsonSchema, a list of content blocks: `type` (text), `text`, `isCut` if a limit of tokens or time, or a filter, ends the text, and `citations` with includeSources. With jsonSchema, the object or list that follows it.",
      ),
    inference: z.string().describe("Identifier of the inference executed."),
    params: RunParams.describe("The parameters received, with defaults applied."),
    ...runFields,
  })
  .openapi("InferenceRunResponse");

export const InferenceRetrieveResponse = z
  .object({
    systemPrompt: z.string().describe("The system prompt of the inference."),
    chunks: z.array(Chunk).describe("The chunks, best first."),
    degraded: Degradation.optional(),
  })
  .openapi("InferenceRetrieveResponse");
