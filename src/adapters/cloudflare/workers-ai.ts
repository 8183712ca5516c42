import type { EmbeddingModelV4, RerankingModelV4 } from "@ai-sdk/provider";
import { z } from "zod";

import { modelFailed } from "../../core/errors.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import { isObject } from "../../core/is-object.ts";
import { DEFAULT_IMAGE_MODEL } from "../../core/models/model-kind.ts";
import { awaitOrNull } from "../../core/work/deadline.ts";
import { ModelFailure, type ImageReader } from "../../ports/models.ts";
import { limitedBody } from "../limited-answer.ts";
import { contextTokensIn, type ModelProvider } from "../model-provider.ts";
import { withoutNullContent } from "../openai/chat-fetch.ts";
import { openAiChat } from "../openai/openai-models.ts";
import { textsOf } from "../openai/openai-reranker.ts";
import { retryBindingCall } from "./retry-binding-call.ts";
import { runWorkersAi, type WorkersAiSettings } from "./workers-ai-failures.ts";

/** Texts that bge-m3 and similar models take in one call, and bge-reranker-base scores. */
const PER_CALL = 100;

const WITHOUT_WAIT = { rejectIfBusy: true };

const vectors = z.object({ data: z.array(z.array(z.number())) });
const scores = z.object({ response: z.array(z.object({ id: z.int().min(0), score: z.number() })) });

/** One call whose reply has this form. @throws ModelFailure */
async function callBinding<Reply>(
  form: z.ZodType<Reply>,
  ...call: Parameters<typeof runWorkersAi>
): Promise<Reply> {
  const reply = form.safeParse(await runWorkersAi(...call));
  if (!reply.success) throw new ModelFailure("unreadable reply");
  return reply.data;
}

function workersAiReranker(settings: WorkersAiSettings, modelId: string): RerankingModelV4 {
  return {
    specificationVersion: "v4",
    provider: "workers-ai",
    modelId,
    async doRerank({ query, documents, topN, abortSignal }) {
      const texts = textsOf({ documents });
      const inputs = {
        query,
        contexts: texts.map((text) => ({ text })),
        top_k: topN ?? texts.length,
      };
      // Passages in the order of the search at once are better than reranked ones later.
      const { response } = await callBinding(
        scores,
        settings,
        modelId,
        inputs,
        abortSignal,
        WITHOUT_WAIT,
      );
      return { ranking: response.map(({ id, score }) => ({ index: id, relevanceScore: score })) };
    },
  };
}

export function workersAiEmbedding(settings: WorkersAiSettings, modelId: string): EmbeddingModelV4 {
  return {
    specificationVersion: "v4",
    provider: "workers-ai",
    modelId,
    maxEmbeddingsPerCall: PER_CALL,
    supportsParallelCalls: true,
    async doEmbed({ values, abortSignal, providerOptions }) {
      const inputs = { text: values, truncate_inputs: true };
      const options = providerOptions?.["quarry"]?.["rejectIfBusy"] === true ? WITHOUT_WAIT : {};
      const { data } = await callBinding(vectors, settings, modelId, inputs, abortSignal, options);
      return { embeddings: data, warnings: [] };
    },
  };
}

const CONTEXT_TOKENS: [beginning: string, tokens: number][] = [
  ["workers-ai/@cf/zai-org/glm-", 128_000],
  ["workers-ai/@cf/google/gemma-4", 128_000],
  ["workers-ai/@cf/moonshotai/kimi-", 128_000],
  ["workers-ai/@cf/meta/llama-4", 131_000],
  ["workers-ai/@cf/meta/llama-3.3", 24_000],
  ["workers-ai/@cf/meta/llama-3.2", 60_000],
  ["workers-ai/@cf/meta/llama-3.1-8b-instruct-fp8", 32_000],
  ["workers-ai/@cf/meta/llama-3.1", 7_968],
  ["workers-ai/@cf/openai/gpt-oss", 128_000],
  ["workers-ai/@cf/mistralai/mistral-small", 128_000],
  ["workers-ai/@cf/qwen/", 32_768],
  ["workers-ai/", 8_192],
];

const SMALL = "workers-ai/@cf/zai-org/glm-4.7-flash";
const SEEING = "workers-ai/@cf/google/gemma-4-26b-a4b-it";

/**
 * Models that ended on 2026-05-30, with what follows them
 * (https://developers.cloudflare.com/changelog/post/2026-05-08-planned-model-deprecations/).
 */
const RETIRED = new Map([
  ["@hf/meta-llama/meta-llama-3-8b-instruct", SMALL],
  ["@cf/meta/llama-3-8b-instruct", SMALL],
  ["@cf/meta/llama-3-8b-instruct-awq", SMALL],
  ["@cf/meta/llama-3.1-8b-instruct", SMALL],
  ["@cf/meta/llama-3.1-8b-instruct-awq", SMALL],
  ["@cf/meta/llama-3.1-70b-instruct", SEEING],
  ["@cf/meta/llama-2-7b-chat-int8", SMALL],
  ["@cf/meta/llama-2-7b-chat-fp16", SMALL],
  ["@cf/mistral/mistral-7b-instruct-v0.1", SMALL],
  ["@hf/mistral/mistral-7b-instruct-v0.2", SMALL],
  ["@hf/google/gemma-7b-it", SMALL],
  ["@cf/google/gemma-3-12b-it", SEEING],
  ["@hf/nousresearch/hermes-2-pro-mistral-7b", SMALL],
  ["@cf/microsoft/phi-2", SMALL],
  ["@cf/defog/sqlcoder-7b-2", SMALL],
  ["@cf/unum/uform-gen2-qwen-500m", SEEING],
  ["@cf/facebook/bart-large-cnn", SMALL],
]);

/** The `AI` binding, through the AI Gateway when one is named. */
export const workersAi: ModelProvider = {
  prefix: "workers-ai",
  documented: { names: "`workers-ai/@cf/…`", goesTo: "the `AI` binding", needs: "production" },
  contextTokens: (model) => contextTokensIn(CONTEXT_TOKENS, model),
  open({ model }, config, { ai }) {
    const successor = RETIRED.get(model.slice("workers-ai/".length));
    if (successor !== undefined) {
      throw modelFailed(
        `Model ${model} is retired since 2026-05-30: name ${successor}, for example`,
      );
    }
    if (ai === undefined) throw modelFailed(`Model ${model} needs the binding AI (Workers AI)`);
    const settings = {
      ai,
      gatewayId: config.AI_GATEWAY_ID,
      maxBytes: config.MODEL_ANSWER_MAX_BYTES,
    };
    return {
      chat: (name) => workersAiChat(settings, name),
      image: () => (model === DEFAULT_IMAGE_MODEL ? markdownConversion(settings, model) : null),
      embedding: (name) => ({ model: workersAiEmbedding(settings, name), batchLimit: PER_CALL }),
      reranker: (name) => ({ model: workersAiReranker(settings, name), batchLimit: PER_CALL }),
    };
  },
};

/** The protocol is OpenAI's but for transport and old replies: its SDK model gets our `fetch`. */
export function workersAiChat(settings: WorkersAiSettings & { maxBytes: number }, modelId: string) {
  const runBinding = async (_input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const body = parseJson(typeof init?.body === "string" ? init.body : "");
    const { model: _, ...inputs } = isObject(body) ? body : {};
    const signal = init?.signal ?? undefined;
    const reply = await runWorkersAi(settings, modelId, inputsOf(inputs), signal);
    const isStream = reply instanceof ReadableStream;
    return isStream
      ? new Response(limitedBody(reply, { maxBytes: settings.maxBytes, isStream }, signal))
      : Response.json(reply);
  };
  const endpoint = { baseUrl: "https://workers-ai.invalid/v1", name: "workers-ai" };
  return openAiChat({ ...endpoint, fetch: runBinding }, modelId);
}

const inputsOf = (body: Record<string, unknown>) => withoutNullContent(unwrapResponseFormat(body));

/** The binding expects the bare schema where OpenAI wraps it with a name. */
function unwrapResponseFormat(inputs: Record<string, unknown>): Record<string, unknown> {
  const { response_format: format } = inputs;
  const wrapped = isObject(format) ? format["json_schema"] : undefined;
  if (!isObject(wrapped) || wrapped["schema"] === undefined) return inputs;
  return {
    ...inputs,
    response_format: { type: "json_schema", json_schema: wrapped["schema"] },
  };
}

/**
 * Markdown conversion of Workers AI
 * (https://developers.cloudflare.com/workers-ai/features/markdown-conversion/). A picture that
 * cannot be converted is an entry with `format: "error"`, not a thrown error.
 */
const responseSchema = z.union([
  z.object({ format: z.literal("error"), error: z.string() }),
  z.object({ format: z.string(), data: z.string(), tokens: z.number().optional() }),
]);

const LONGEST_MS = 120_000;

/** Requests through the AI Gateway when one is named. */
export function markdownConversion(
  { ai, gatewayId }: WorkersAiSettings,
  model: string,
): ImageReader {
  const options = gatewayId === undefined ? {} : { gateway: { id: gatewayId } };
  return {
    name: model,
    async read({ bytes, mediaType }) {
      const name = `picture.${mediaType.split("/")[1] ?? ""}`;
      const blob = new Blob([bytes.slice().buffer], { type: mediaType });
      const converting = retryBindingCall("conversion", () =>
        Promise.resolve(ai.toMarkdown?.({ name, blob }, options)),
      ).catch((cause: unknown) => {
        throw new ModelFailure("failed", { retryable: true }, { cause });
      });
      const reply = await awaitOrNull(converting, LONGEST_MS);
      if (reply === null) throw new ModelFailure("no answer in time", { isLate: true });
      const response = responseSchema.safeParse(reply);
      if (!response.success) throw new ModelFailure("unreadable reply");
      if ("error" in response.data) throw new ModelFailure("it cannot be converted");
      const { data, tokens = 0 } = response.data;
      // The service puts the name of the file above its text.
      const text = data.replace(`# ${name}`, "").trim();
      return { text, ending: "whole", inputTokens: 0, outputTokens: tokens };
    },
  };
}
