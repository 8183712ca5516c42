import type { UsageMessage } from "../../src/core/queue-messages.ts";

/** A retrieval that cost nothing. */
export const usageMessage = (more: Partial<UsageMessage> = {}): UsageMessage => ({
  id: crypto.randomUUID(),
  at: 0,
  kind: "retrieve",
  inferenceId: null,
  agentId: null,
  ragIds: ["rag"],
  tokenId: "token",
  model: null,
  inputTokens: 0,
  outputTokens: 0,
  cost: null,
  currency: null,
  latencyMs: 10,
  outcome: "ok",
  ...more,
});
