import { parseJson } from "../../core/input/parse-json.ts";
import { ModelFailure } from "../../ports/models.ts";
import { errorIn } from "./answer-form.ts";
import { tolerantFetch } from "./chat-fetch.ts";
import { failureOfStatus, failureInAnswer, translateFailures } from "./model-failures.ts";
import type { OpenAiEndpoint } from "./openai-models.ts";

type Post = { path: string; body: object; signal: AbortSignal | undefined };

/** The answer of a server below its address. @throws ModelFailure */
export const postJson = async (endpoint: OpenAiEndpoint, post: Post) =>
  await translateFailures(fetchReply(endpoint, post), post.signal);

async function fetchReply({ baseUrl, headers, fetch }: OpenAiEndpoint, post: Post) {
  const { path, body, signal } = post;
  const response = await tolerantFetch(fetch, baseUrl)(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const sentHeaders = Object.fromEntries(response.headers);
  if (!response.ok) throw failureOfStatus(response.status, sentHeaders, { body: text });
  const answer = parseJson(text);
  if (answer === undefined) throw unreadableReply();
  const error = errorIn(answer);
  if (error !== null) throw failureInAnswer(error);
  return answer;
}

export const unreadableReply = () => new ModelFailure("unreadable reply", { retryable: true });
