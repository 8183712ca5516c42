import { workersAi } from "./cloudflare/workers-ai.ts";
import { embedded } from "./embedded/embedded.ts";
import type { ModelProvider } from "./model-provider.ts";
import { gateway } from "./openai/ai-gateway.ts";
import { local } from "./openai/local.ts";

/** Every provider of models; the first whose prefix fits serves a model. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [embedded, local, workersAi, gateway];
