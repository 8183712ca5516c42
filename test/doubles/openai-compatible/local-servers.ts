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

/** The same answer, streamed or not, with a usage of its own. */
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
