import { messageOf, requireFound } from "../../core/errors.ts";
import { providerReason } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

type TrialServices = Pick<Services, "config" | "models" | "now">;
const TEXT = "Name three rivers.";
const MAX_TOKENS = 48;

/**
 * Lets the first chat model and the first embedding model of a server work once: what each took, or
 * what went wrong.
 * @throws QuarryError `not-found`: no such server
 */
export async function tryModelServer(services: TrialServices, name: string) {
  const servers = await services.models.servers();
  const { models } = requireFound(servers.find((server) => server.name === name));
  const trials: { model: string; passed: boolean; result: string }[] = [];
  // One after the other: a laptop has one processor.
  for (const [kind, work] of Object.entries({ chat: answer, embedding: embed })) {
    const model = models.find((entry) => entry.kind === kind)?.model;
    if (model === undefined) continue;
    const signal = AbortSignal.timeout(services.config.MODEL_TIMEOUT_MS);
    try {
      trials.push({ model, passed: true, result: await work(services, model, signal) });
    } catch (thrown) {
      const reason = `${messageOf(thrown)}${providerReason({ cause: thrown })}`;
      trials.push({ model, passed: false, result: signal.aborted ? "no answer in time" : reason });
    }
  }
  return trials;
}

async function answer({ models, now }: TrialServices, name: string, abortSignal: AbortSignal) {
  const startedAt = now();
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: TEXT }] }];
  const options = { prompt, maxOutputTokens: MAX_TOKENS, abortSignal };
  let firstAt: number | null = null;
  let tokens = 0;
  for await (const part of (await models.chat(name).model.doStream(options)).stream) {
    if (part.type === "error") throw part.error;
    if (part.type.endsWith("-delta")) firstAt ??= now();
    if (part.type === "finish") tokens = part.usage.outputTokens.total ?? 0;
  }
  const seconds = Math.max(1, now() - (firstAt ?? startedAt)) / 1_000;
  const first = (firstAt ?? now()) - startedAt;
  return `first word after ${first} ms, ${(tokens / seconds).toFixed(1)} tokens/s`;
}

async function embed({ models, now }: TrialServices, name: string, abortSignal: AbortSignal) {
  const startedAt = now();
  const reply = await models.embedder(name, 1).model.doEmbed({ values: [TEXT], abortSignal });
  return `a vector of ${reply.embeddings[0]?.length ?? 0} dimensions after ${now() - startedAt} ms`;
}
