import type { CallNotes } from "../../core/calls/call-record.ts";
import { newId, type InferenceId, type RagId, type TokenId } from "../../core/ids.ts";
import type { ModelUse, UsageMessage } from "../../core/queue-messages.ts";
import type { Services } from "../../services.ts";

type UsageServices = Pick<Services, "queue" | "log" | "now" | "runInBackground">;

/** Sends usage after the answer; a failure is logged and changes nothing. */
export function sendUsage(
  services: UsageServices,
  usage: Omit<UsageMessage, "id" | "at">,
  notes: CallNotes = {},
): void {
  const { model, cost: amount, currency, outputTokens, uses = [] } = usage;
  const models = [...new Set([model ?? [], ...uses.map((use) => use.model)].flat())];
  const inputTokens = uses.reduce((sum, use) => sum + use.inputTokens, usage.inputTokens);
  const cost = amount === null || currency === null ? null : { amount, currency };
  services.log.note?.({ models, inputTokens, outputTokens, cost, ...notes });
  const at = services.now();
  const sending = services.queue.usage({ ...usage, id: newId(at), at }).catch((thrown: unknown) => {
    const error = thrown instanceof Error ? thrown.name : typeof thrown;
    services.log.warn("usage not recorded", { error, kind: usage.kind });
  });
  services.runInBackground(sending);
}

const NOTHING = { inputTokens: 0, outputTokens: 0, cost: null, currency: null };
const NOBODY = { inferenceId: null, agentId: null, tokenId: null, model: null };

type RetrievalUsage = {
  degradations: string[];
  uses: ModelUse[];
  timings: { contextMs: number; rerankingMs: number };
  /** There was no answer. */
  failed?: boolean;
};

/** Usage of a retrieval without a model; `inferenceId`: it was made for an inference. */
export function sendRetrievalUsage(
  services: UsageServices,
  by: { ragIds: RagId[]; inferenceId?: InferenceId; tokenId: TokenId | null },
  { degradations, uses, timings, failed = false }: RetrievalUsage,
): void {
  const outcome = failed ? "error" : degradations.length > 0 ? "degraded" : "ok";
  const latencyMs = timings.contextMs + timings.rerankingMs;
  const how = { latencyMs, outcome, uses } as const;
  sendUsage(
    services,
    { kind: "retrieve", ...NOBODY, ...NOTHING, ...by, ...how },
    { degraded: degradations },
  );
}

/** Usage of indexing: it belongs to no call, and nothing is sent where nothing was embedded. */
export function sendIndexingUsage(
  services: UsageServices,
  uses: NonNullable<UsageMessage["uses"]>,
): void {
  if (uses.length === 0) return;
  const ragIds = [...new Set(uses.flatMap((use) => use.ragIds))];
  const how = { latencyMs: 0, outcome: "ok" as const };
  sendUsage(services, { kind: "index", ragIds, ...NOBODY, ...NOTHING, ...how, uses });
}
