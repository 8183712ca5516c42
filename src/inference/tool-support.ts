import { HOUR_MS, SECOND_MS } from "../core/time.ts";
import { Deadline } from "../core/work/deadline.ts";
import { ModelFailure, type ChatModel } from "../ports/models.ts";
import type { Meter } from "./record-usage.ts";
import { retryingModel } from "./retrying-model.ts";
import type { FinishedRun, InferenceServices } from "./types.ts";

/** Ollama, vLLM, llama-server without `--jinja`, OpenRouter. */
const REFUSAL = /support tool|tool choice requires|tools param requires/i;
const NO_TOOLS = "model: its server takes no tools, so one search was made before the answer";
const PROBE_MS = 10 * SECOND_MS;
const content = [{ type: "text" as const, text: "Hello" }];
const PROBE = { prompt: [{ role: "user" as const, content }], maxOutputTokens: 1 };
const TOOL = {
  type: "function" as const,
  name: "search",
  inputSchema: { type: "object" as const },
};

/** Whether tools reach a model: by its name, until so many ms. */
const support = new Map<string, { hasTools: boolean; until: number }>();

/** The turn of a model with tools; where its server takes none, the one after one search. */
export async function turnWithTools(
  services: Pick<InferenceServices, "now">,
  { chat, meter }: { chat: ChatModel; meter: Meter },
  { turn, searchFirst }: Record<"turn" | "searchFirst", () => Promise<FinishedRun>>,
): Promise<FinishedRun> {
  const earlier = support.get(chat.name);
  const hasTools = (earlier?.until ?? 0) > services.now() ? earlier?.hasTools : undefined;
  const recordSupport = (isSupported: boolean) => {
    support.set(chat.name, { hasTools: isSupported, until: services.now() + HOUR_MS });
    return isSupported;
  };
  if (hasTools !== false) {
    const answer = await turn().catch((thrown: Error) => {
      if (!(thrown.cause instanceof ModelFailure && REFUSAL.test(thrown.cause.reason ?? "")))
        throw thrown;
      recordSupport(false);
    });
    const isSure = hasTools === true || chat.server === undefined || answer?.toolCalls.length !== 0;
    if (answer && (isSure || recordSupport(await probeTools(services, chat, meter)))) return answer;
  }
  const { degradations, ...answer } = await searchFirst();
  return { ...answer, degradations: [NO_TOOLS, ...degradations] };
}

/** Chat templates may leave tools out without a word: then they are no part of the prompt's tokens. */
async function probeTools(
  { now }: Pick<InferenceServices, "now">,
  chat: ChatModel,
  meter: Meter,
): Promise<boolean> {
  const deadline = new Deadline(now, PROBE_MS);
  const rules = { providerSchema: null, toolsUntil: Infinity, handedBack: new Set<string>() };
  const model = retryingModel({ chat, deadline, now, meter, ...rules });
  const probe = async (abortSignal: AbortSignal) => {
    const without = await model.doGenerate({ ...PROBE, abortSignal });
    const offering = await model.doGenerate({ ...PROBE, tools: [TOOL], abortSignal });
    const [least = 0, most = 0] = [without, offering].map(({ usage }) => usage.inputTokens.total);
    return least === 0 || most > least;
  };
  return await deadline.run("model", probe).catch(() => true);
}
