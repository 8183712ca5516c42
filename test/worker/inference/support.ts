import { env } from "cloudflare:workers";

import { ragIndexes } from "../../../src/adapters/cloudflare/own-objects.ts";
import {
  METADATA_INDEXES,
  vectorizeIndex,
} from "../../../src/adapters/cloudflare/vectorize-index.ts";
import type { WorkersAi } from "../../../src/adapters/cloudflare/workers-ai-failures.ts";
import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { newAgent } from "../../../src/catalog/agents/agent-settings.ts";
import { newInference } from "../../../src/catalog/inferences/inference-settings.ts";
import { meteredModels } from "../../../src/catalog/limits/metered-models.ts";
import { spendingOf } from "../../../src/catalog/limits/spending.ts";
import { parseConfig } from "../../../src/config.ts";
import { newId } from "../../../src/core/ids.ts";
import type { AgentId, InferenceId } from "../../../src/core/ids.ts";
import { jsonLog } from "../../../src/core/log.ts";
import type { UsageMessage } from "../../../src/core/queue-messages.ts";
import { runUntraced } from "../../../src/core/trace.ts";
import { RecentLookups } from "../../../src/db/access/recent-lookups.ts";
import type { AgentRecord, InferenceRecord, RagRecord } from "../../../src/db/records.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { runInference, type InferenceRun } from "../../../src/inference/run-inference.ts";
import type { InferenceInput, InferenceServices } from "../../../src/inference/types.ts";
import type { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { VectorizeDouble } from "../../doubles/vectorize/vectorize-double.ts";
import { freeTurns } from "../../support/free-turns.ts";
import { ragRecord } from "../../support/rag-record.ts";
import { usesVectorize } from "../../support/tested-adapters.ts";
import { DIMENSIONS, indexOf, write } from "../rag-index/support.ts";

/** Shows nothing yet of what the tests put into an index. */
const vectorize = new VectorizeDouble({
  dimensions: DIMENSIONS,
  now: () => Date.now(),
  visibleAfterMs: 0,
  metadataIndexes: METADATA_INDEXES,
});

export type World = {
  services: InferenceServices;
  /** Messages of the usage queue. */
  usage: UsageMessage[];
  /** Settles what the answers did not wait for. */
  settled: () => Promise<void>;
};

let servers = 0;

/** The services as they are composed, with doubles for what is outside. */
export function worldWith(options: {
  double?: OpenAiDouble;
  ai?: WorkersAi;
  /** For servers that stand outside; otherwise the double's. */
  fetch?: typeof fetch;
  variables?: Record<string, string>;
}): World {
  const config = parseConfig({
    ENVIRONMENT: "development",
    // Facts that a server has shown are remembered, so each registry gets a server of its own.
    OPENAI_COMPATIBLE_BASE_URL: `http://models-${(servers += 1)}.test/v1`,
    AI_GATEWAY_ACCOUNT_ID: "account",
    AI_GATEWAY_ID: "gate",
    AI_GATEWAY_TOKEN: "gateway-token",
    AI_GATEWAY_BASE_URL: "http://gateway.test/v1",
    ...options.variables,
  });
  const usage: UsageMessage[] = [];
  const background: Promise<unknown>[] = [];
  const parts = {
    now: () => Date.now(),
    log: jsonLog(() => {}),
    db: openDatabase(env.DB),
    runInBackground: (work: Promise<unknown>) => void background.push(work),
    recentLookups: new RecentLookups(),
    ledger: env.SPENDING_LEDGER.getByName("ledger"),
  };
  const spending = spendingOf(() => parts);
  const registry = modelRegistry(config, {
    ai: options.ai,
    fetch: options.fetch ?? options.double?.fetch,
  });
  const services: InferenceServices = {
    ...parts,
    config,
    trace: runUntraced,
    queue: {
      scan: () => Promise.resolve(),
      index: () => Promise.resolve(),
      usage: async (message) => {
        usage.push(message);
      },
    },
    ragIndexes: ragIndexes(env.RAG_INDEX),
    vectorIndex: usesVectorize ? vectorizeIndex(vectorize) : null,
    models: meteredModels(registry, spending),
    spending,
    turns: freeTurns(),
  };
  return {
    services,
    usage,
    settled: async () => {
      await Promise.all(background);
    },
  };
}

/** A RAG whose index holds these files, a list of passages each. */
export async function indexedRag(
  identifier: string,
  files: Record<string, string[]>,
  more: Partial<RagRecord> = {},
): Promise<RagRecord> {
  const index = indexOf(identifier);
  for (const [path, passages] of Object.entries(files)) await write(index, path, 1, passages);
  return ragRecord(identifier, { dimensions: DIMENSIONS, ...more });
}

const fields = {
  name: "Ask",
  identifier: "ask",
  systemPrompt: "Answer briefly.",
  model: "embedded/extractive",
};

export const inferenceOf = (more: Partial<InferenceRecord>): InferenceRecord => ({
  ...newInference.parse(fields),
  ...fields,
  id: newId<InferenceId>(Date.now()),
  createdAt: 0,
  updatedAt: 0,
  rags: [],
  ...more,
});

export const agentOf = (more: Partial<AgentRecord>): AgentRecord => ({
  ...newAgent.parse(fields),
  ...fields,
  id: newId<AgentId>(Date.now()),
  createdAt: 0,
  updatedAt: 0,
  rags: [],
  ...more,
});

export const inputOf = (more: Partial<InferenceInput>): InferenceInput => ({
  prompt: "What is the answer?",
  topK: 5,
  useReranking: false,
  candidateMultiplier: 2,
  includeDuplicates: false,
  useAllFiles: true,
  ...more,
});

export const nobody = { tokenId: null };

/** The answer of an inference with these settings to this input. */
export const answerOf = (
  services: InferenceServices,
  settings: Partial<InferenceRecord>,
  input: Partial<InferenceInput> = {},
  caller: InferenceRun["caller"] = nobody,
) => runInference(services, { inference: inferenceOf(settings), input: inputOf(input), caller });
