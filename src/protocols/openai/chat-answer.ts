import { SECOND_MS } from "../../core/time.ts";
import type { InferenceResult, Usage } from "../../inference/types.ts";
import { citationsIn, textOf } from "../answer-text.ts";
import { fileIdOf } from "../file-address.ts";
import type { ReadChat } from "./chat-request.ts";

/** https://platform.openai.com/docs/api-reference/chat/object */
export function chatAnswer({ model, jsonSchema, cites }: ReadChat, result: InferenceResult) {
  const { response, usage, degradations, finish } = result;
  const content = contentOf(jsonSchema, response);
  const annotations = cites ? { annotations: annotationsOf(result) } : {};
  const message = { role: "assistant" as const, content, refusal: null, ...annotations };
  return {
    id: newCompletionId(),
    object: "chat.completion" as const,
    created: Math.floor(Date.now() / SECOND_MS),
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: usageAnswer(usage),
    ...degradedAnswer(degradations),
  };
}

/**
 * Citations in the form that annotations of chat completions have; offsets into the content, in
 * UTF-16 code units. `from`: where the answer begins in it.
 */
export function annotationsOf({ response, items }: InferenceResult, from = 0) {
  return citationsIn(response).flatMap(({ item, start, end }) => {
    const source = items[item]?.source;
    if (source === undefined) return [];
    const { ragIdentifier: rag, filePath: path } = source;
    const place = { start_index: from + start, end_index: from + end };
    const file_citation = { file_id: fileIdOf({ rag, path }), filename: path, ...place };
    return [{ type: "file_citation" as const, file_citation }];
  });
}

export const newCompletionId = () => `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`;

/** Not in OpenAI's API: less was retrieved than was asked for. */
export const degradedAnswer = (degradations: string[]) =>
  degradations.length > 0 ? { degraded: { occurred: true as const } } : {};

export const usageAnswer = ({ inputTokens, outputTokens, totalTokens }: Usage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: totalTokens,
});

/** The texts of content blocks; with a schema the answer that follows it, as JSON. */
export function contentOf(
  jsonSchema: string | undefined,
  response: InferenceResult["response"],
): string {
  if (jsonSchema !== undefined) return JSON.stringify(response);
  return textOf(response);
}
