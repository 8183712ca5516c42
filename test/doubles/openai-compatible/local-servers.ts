import type { ChatBody } from "./chat-answer.ts";
import type { OpenAiDouble } from "./openai-double.ts";

type Fetch = typeof globalThis.fetch;
type Chat = (url: string, body: ChatBody, answer: () => Promise<Response>) => Promise<Response>;

/** Four letters a token. */
const tokensOf = ({ messages, tools = [] }: ChatBody) =>
  Math.ceil(JSON.stringify([messages, tools]).length / 4);
const failed = (status: number, error: object) => Response.json({ error }, { status });

const before =
  (double: OpenAiDouble, chat: Chat): Fetch =>
  (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const text = typeof init?.body === "string" ? init.body : "{}";
    return chat(url, JSON.parse(text) as ChatBody, () => double.fetch(input, init));
  };

/** Gives an answer, streamed or not, a usage of its own. */
async function withUsage(answer: Promise<Response>, prompt_tokens: number): Promise<Response> {
  const text = await (await answer).text();
  const usage = `"usage":${JSON.stringify({ prompt_tokens, completion_tokens: 7, total_tokens: 0 })}`;
  const type = text.startsWith("data:") ? "text/event-stream" : "application/json";
  return new Response(text.replaceAll(/"usage":\{[^}]*\}/g, usage), {
    headers: { "content-type": type },
  });
}

/**
 * llama-server of `xllamacpp` 2026.10: `meta.n_ctx`, and the refusal of
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp
 */
export const asLlamaServer = (double: OpenAiDouble, { contextTokens = 4_096, tells = true }) =>
  before(double, async (url, body, answer) => {
    if (url.endsWith("/models")) {
      const meta = tells ? { n_ctx_train: 131_072, n_ctx: contextTokens } : null;
      return Response.json({ object: "list", data: [{ id: "llama", object: "model", meta }] });
    }
    if (!url.endsWith("/chat/completions")) return await answer();
    const tokens = tokensOf(body);
    if (tokens <= contextTokens) return await withUsage(answer(), tokens);
    const message = `request (${tokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`;
    const type = "exceed_context_size_error";
    return failed(400, { code: 400, message, type, n_prompt_tokens: tokens, n_ctx: contextTokens });
  });

/** A server whose chat template leaves tools out: the model and the count do not see them. */
export const asTemplateWithoutTools = (double: OpenAiDouble): Fetch => {
  const server = asLlamaServer(double, {});
  return (input, init) => {
    const { tools: _, ...body } = JSON.parse((init?.body as string | null) ?? "{}") as ChatBody;
    return server(input, {
      ...init,
      ...(init?.body == null ? {} : { body: JSON.stringify(body) }),
    });
  };
};

/** Ollama 0.17.4 (a template without tools), vLLM 0.18, llama-server without `--jinja`. */
export const TOOL_REFUSALS: [status: number, message: string][] = [
  [400, "registry.ollama.ai/library/llama:latest does not support tools"],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [500, "tools param requires --jinja flag"],
];

export const asRefusingTools = (double: OpenAiDouble, [status, message]: [number, string]) =>
  before(double, (url, body, answer) =>
    url.endsWith("/chat/completions") && body.tools !== undefined
      ? Promise.resolve(failed(status, { message, type: "api_error" }))
      : answer(),
  );

/**
 * Ollama 0.17.4: cuts the beginning of a long prompt in silence, and says what it read
 * (https://github.com/ollama/ollama/blob/main/server/prompt.go). `cachedTokens`: Ollama 0.30 did not
 * count these (https://github.com/ollama/ollama/issues/16414).
 */
export const asOllama = (
  double: OpenAiDouble,
  { contextTokens = 4_096, isLoaded = false, cachedTokens = 0 },
) =>
  before(double, async (url, body, answer) => {
    if (url.endsWith("/api/ps")) {
      const running = { name: "llama:latest", context_length: contextTokens };
      return Response.json({ models: isLoaded ? [running] : [] });
    }
    if (url.endsWith("/api/show")) {
      return Response.json({ details: {}, parameters: 'stop "<|end|>"', model_info: {} });
    }
    if (!url.endsWith("/chat/completions")) return await answer();
    return await withUsage(answer(), Math.min(contextTokens, tokensOf(body)) - cachedTokens);
  });

/**
 * llama-cpp-python 0.2.60: 500 to a JSON schema and to a required call, no usage in streams
 * (https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/server/app.py).
 */
export const asLlamaCppPython = (double: OpenAiDouble) =>
  before(double, async (url, body, answer) => {
    if (!url.endsWith("/chat/completions")) return await answer();
    const isRefused = body.response_format !== undefined || body.tool_choice === "required";
    if (isRefused) return failed(500, { message: "Internal Server Error", type: "server_error" });
    if (body.stream !== true) return await answer();
    const text = await (await answer()).text();
    const events = text.split("\n\n").filter((event) => !event.includes('"usage"'));
    return new Response(events.join("\n\n"), { headers: { "content-type": "text/event-stream" } });
  });

type Window = { contextTokens?: number };
const modelList = (facts: object) => Response.json({ object: "list", data: [facts] });
const isChat = (url: string) => url.endsWith("/chat/completions");

/**
 * LM Studio 0.4: lists models without windows; `/api/v0/models` has that of a loaded model
 * (https://lmstudio.ai/docs/developer/rest/endpoints). A prompt that is too long is a 200 whose
 * stream holds the error (https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2322), without
 * streaming a 400; what it does not serve is a 200 with an error.
 */
export const asLmStudio = (
  double: OpenAiDouble,
  { contextTokens = 4_096, isLoaded = true }: Window & { isLoaded?: boolean },
) =>
  before(double, async (url, body, answer) => {
    if (url.endsWith("/api/v0/models")) {
      const facts = { id: "llama", type: "llm", max_context_length: 131_072 };
      const loaded = { state: "loaded", loaded_context_length: contextTokens };
      return modelList({ ...facts, ...(isLoaded ? loaded : { state: "not-loaded" }) });
    }
    if (url.endsWith("/v1/models")) {
      return modelList({ id: "llama", object: "model", owned_by: "organization_owner" });
    }
    if (url.endsWith("/embeddings")) return await answer();
    if (!isChat(url)) return Response.json({ error: "Unexpected endpoint or method." });
    const tokens = tokensOf(body);
    if (tokens <= contextTokens) return await withUsage(answer(), tokens);
    const message = `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${tokens}>= n_ctx: ${contextTokens}). Try to load the model with a larger context length, or provide a shorter input.`;
    if (body.stream !== true) return Response.json({ error: message }, { status: 400 });
    return new Response(`event: error\ndata: ${JSON.stringify({ error: { message } })}\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  });

/** vLLM's refusal: prompt and answer together; it stops counting behind the limit. */
function refusedByVllm(body: ChatBody, contextTokens: number): string | null {
  const { max_tokens: output = 0 } = body;
  const room = contextTokens - output;
  if (tokensOf(body) <= room) return null;
  return `This model's maximum context length is ${contextTokens} tokens. However, you requested ${output} output tokens and your prompt contains at least ${room + 1} input tokens, for a total of at least ${contextTokens + 1} tokens. Please reduce the length of the input prompt or the number of requested output tokens.`;
}

/**
 * vLLM 0.18: `max_model_len` in the list of its one model
 * (https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/models/protocol.py).
 */
export const asVllm = (double: OpenAiDouble, { contextTokens = 4_096, tells = true }) =>
  before(double, async (url, body, answer) => {
    const facts = { id: "llama", object: "model", owned_by: "vllm", root: "llama", parent: null };
    if (url.endsWith("/v1/models")) {
      return modelList({ ...facts, ...(tells && { max_model_len: contextTokens }) });
    }
    const message = isChat(url) ? refusedByVllm(body, contextTokens) : null;
    if (message === null) return await answer();
    return failed(400, { message, type: "BadRequestError", param: "input_tokens", code: 400 });
  });

/**
 * LiteLLM 1.108.7 before vLLM, as its proxy answered: the names of its `config.yaml`, windows where
 * it knows them, and the whole answer of what is behind it in a sentence of its own
 * (https://docs.litellm.ai/docs/exception_mapping). Without a key: 500, and no JSON.
 */
export const asLiteLlm = (
  double: OpenAiDouble,
  { contextTokens = 4_096, tells = true, tellsInList = false },
) =>
  before(double, async (url, body, answer) => {
    const max_input_tokens = contextTokens;
    if (url.endsWith("/v1/models")) {
      const facts = { id: "llama", object: "model", created: 1_677_610_602, owned_by: "openai" };
      return modelList({ ...facts, ...(tellsInList && { max_input_tokens }) });
    }
    if (url.endsWith("/model/info")) {
      const facts = { id: "d1ac61", db_model: false, key: "hosted_vllm/Qwen/Qwen3-8B" };
      const model_info = { ...facts, max_tokens: null, ...(tells && { max_input_tokens }) };
      const litellm_params = { model: "hosted_vllm/Qwen/Qwen3-8B" };
      const model = { model_name: "llama", litellm_params, model_info };
      const larger = { ...model, model_info: { ...facts, id: "d1ac62", max_input_tokens: 65_536 } };
      return Response.json({ data: tells ? [larger, model] : [model] });
    }
    if (body.model !== "llama" && isChat(url)) {
      const message = `/chat/completions: Invalid model name passed in model=${body.model}. Call \`/v1/models\` to view available models for your key.`;
      return failed(400, { message, type: "invalid_request_error", param: null, code: "400" });
    }
    const refusal = isChat(url) ? refusedByVllm(body, contextTokens) : null;
    if (refusal === null) return await answer();
    const error = { message: refusal, type: "BadRequestError", param: "input_tokens", code: 400 };
    const message = `litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: Hosted_vllmException - ${JSON.stringify({ error })}\nmodel=llama. context_window_fallbacks=None. fallbacks=None.\n\nLiteLLM: model group 'llama' failed with the error above. No fallback was attempted.`;
    return failed(400, { message, type: "invalid_request_error", param: null, code: "400" });
  });
