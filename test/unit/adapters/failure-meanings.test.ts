import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";

const config = parseConfig({
  ENVIRONMENT: "development",
  OPENAI_COMPATIBLE_BASE_URL: "http://models.test/v1",
});

/** A call of a model whose server answers so. */
async function answerTo(status: number, message: string, more: object = {}) {
  const fetch = () => Promise.resolve(Response.json({ error: { message, ...more } }, { status }));
  const { model } = modelRegistry(config, { fetch }).chat("local/gemma");
  const content = [{ type: "text" as const, text: "Hello" }];
  return await model.doGenerate({ prompt: [{ role: "user", content }] });
}

const NO_MODEL = "(it knows no such model or address)";
const NO_KEY = "(the key is missing or wrong)";
const NO_CREDIT = "(no credit or quota is left)";
/** As LiteLLM 1.8x, LM Studio 0.3, Ollama 0.12, vLLM 0.18 and a router of llama-server answer. */
test.each([
  [
    400,
    "/chat/completions: Invalid model name passed in model=gemma. Call `/v1/models` to view available models for your key.",
    NO_MODEL,
  ],
  [400, "model 'gemma' not found", NO_MODEL],
  [404, 'model "gemma" not found, try pulling it first', NO_MODEL],
  [404, "No models loaded. Please load a model in the developer page", NO_MODEL],
  [500, "litellm.AuthenticationError: The api_key client option must be set", NO_KEY],
  [400, "Authentication Error, No api key passed in.", NO_KEY],
  // LiteLLM without a database, for any key that is not its own.
  [400, "No connected db.", NO_KEY],
  [401, "Unauthorized", NO_KEY],
  [402, "Insufficient credits", NO_CREDIT],
  [400, "Your credit balance is too low to access the Anthropic API.", NO_CREDIT],
])("%i %s is said in words, and not asked again", async (status, message, meaning) => {
  const failed = { status, message: `${status} ${meaning}`, retryable: false };
  await expect(answerTo(status, message)).rejects.toMatchObject(failed);
});

test.each([
  [400, "This model's maximum context length is 2048 tokens"],
  [500, "the model crashed"],
  [429, "Rate limit reached for api key"],
])("%i %s is not taken for a wrong model or key", async (status, message) => {
  await expect(answerTo(status, message)).rejects.toMatchObject({ message: `${status}` });
});

test("a quota that is used up does not pass, a limit of Gemini's tells when it does", async () => {
  const quota = answerTo(429, "Check your plan", { code: "insufficient_quota" });
  await expect(quota).rejects.toMatchObject({ message: `429 ${NO_CREDIT}`, retryable: false });
  const limit = answerTo(429, "Slow down", { details: [{ retryDelay: "32.5s" }] });
  await expect(limit).rejects.toMatchObject({ retryable: true, retryAfterMs: 32_500 });
});

/** As llama-server, vLLM, llama-cpp-python, LM Studio, TEI, xAI, Cohere, TGI and Ollama answer. */
test.each([
  [
    500,
    "input (705 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
    { sent: 705, limit: 512 },
  ],
  [
    400,
    "request (4476 tokens) exceeds the available context size (4096 tokens), try increasing it",
    { sent: 4_476, limit: 4_096 },
  ],
  [
    400,
    "This model's maximum context length is 4,096 tokens. However, you requested 5,000 tokens (4,900 in the messages, 100 in the completion).",
    { sent: 5_000, limit: 4_096 },
  ],
  [
    400,
    "This model's maximum context length is 8192 tokens. However, you requested 2048 output tokens and your prompt contains at least 6145 input tokens, for a total of at least 8193 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    { sent: null, limit: 8_192 },
  ],
  [
    400,
    "You passed 9000 input tokens and requested 2048 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 6144 tokens.",
    { sent: 9_000, limit: 8_192 },
  ],
  [
    400,
    "You passed 90000 input characters and requested 100 output tokens. However, the model's context length is only 2048 tokens, resulting in a maximum input length of 1948 tokens (at most 7792 characters).",
    { sent: null, limit: 2_048 },
  ],
  [
    400,
    "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)",
    { sent: 15_028, limit: 7_424 },
  ],
  [
    400,
    "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length",
    { sent: 13_055, limit: 4_096 },
  ],
  [
    400,
    "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens",
    { sent: 10_136, limit: 7_866 },
  ],
  [
    400,
    "litellm.BadRequestError: AnthropicException - input length and `max_tokens` exceed context limit: 179413 + 32768 > 200000, decrease input length or `max_tokens`",
    { sent: null, limit: 200_000 },
  ],
  [
    400,
    "litellm.ContextWindowExceededError: AnthropicError - prompt is too long: 209303 tokens > 200000 maximum",
    { sent: 209_303, limit: 200_000 },
  ],
  [400, "Requested tokens (2310) exceed context window of 2048", { sent: 2_310, limit: 2_048 }],
  [422, "`inputs` must have less than 512 tokens. Given: 705", { sent: 705, limit: 512 }],
  [
    400,
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    { sent: 140_000, limit: 131_072 },
  ],
  [
    400,
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
    { sent: 5_000, limit: 4_081 },
  ],
  [
    422,
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`",
    { sent: 5_000, limit: 4_096 },
  ],
  [400, "the input length exceeds the context length", { sent: null, limit: null }],
  [400, "<400> Algo.InvalidParameter: Range of input length should be [1, 30720]", { limit: null }],
  [400, "Please reduce the length of the messages or completion.", { sent: null, limit: null }],
  // As Cerebras, GLM, Moonshot and GitHub's models answer.
  [
    400,
    "Current length is 9000 while limit is 8192, reduce the length of the messages",
    { limit: 8_192 },
  ],
  [400, "Prompt exceeds max length", { sent: null, limit: null }],
  [400, "Your request exceeded model token limit: 8192", { sent: null }],
  [400, "prompt token count of 70000 exceeds the limit of 64000", { sent: 70_000, limit: 64_000 }],
  [400, "Your daily token limit of 100000 is reached", null],
  [422, "user exceeds max length 100", null],
  [400, "max_tokens is too large: 5000. This model supports at most 4096 completion tokens", null],
  [400, "`max_tokens` must be less than or equal to 8192", null],
  [400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", null],
  [400, "'user': string too long. Its maximum length is 64, but it has a length of 120.", null],
])("%i %s says how long the input was", async (status, message, tooLong) => {
  await expect(answerTo(status, message)).rejects.toMatchObject({ tooLong });
});

test("Cloudflare's list of errors is said", async () => {
  const body = { success: false, errors: [{ code: 7003, message: "no such route" }] };
  const fetch = () => Promise.resolve(Response.json(body, { status: 400 }));
  const { model } = modelRegistry(config, { fetch }).chat("local/gemma");
  const content = [{ type: "text" as const, text: "Hello" }];
  const answer = model.doGenerate({ prompt: [{ role: "user", content }] });
  await expect(answer).rejects.toMatchObject({ status: 400, reason: "no such route" });
});

test("an error that has a code and no words is tried again by its code", async () => {
  const answer = answerTo(400, "", { code: "rate_limit_exceeded" });
  await expect(answer).rejects.toMatchObject({ status: 400, retryable: true });
});
