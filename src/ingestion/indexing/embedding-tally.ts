import type { RagId } from "../../core/ids.ts";
import type { ModelUse } from "../../ports/job-queue.ts";
import { embeddedText } from "../../documents/chunking/chunk-document.ts";
import type { Wanted } from "./file-work.ts";

/** One embedding call and its result; `tokens` is null when it failed. */
export type EmbeddingCall = {
  model: string;
  wanted: Wanted[];
  tokens: number | null;
  latencyMs: number;
};

/** Embedding usage while a batch was indexed: one entry per RAG, model and outcome. */
export class EmbeddingTally {
  readonly #uses = new Map<string, ModelUse>();

  get uses(): ModelUse[] {
    return [...this.#uses.values()];
  }

  /** When several RAGs share a call, its tokens are split by the length of their texts. */
  add({ model, wanted, tokens, latencyMs }: EmbeddingCall): void {
    const characters = Map.groupBy(wanted, ({ work }) => work.file.ragId);
    const total = lengthOf(wanted);
    for (const [ragId, own] of characters) {
      const share = total === 0 ? 0 : lengthOf(own) / total;
      this.#count(ragId, model, Math.round((tokens ?? 0) * share), latencyMs, tokens === null);
    }
  }

  #count(ragId: RagId, model: string, tokens: number, latencyMs: number, failed: boolean): void {
    const key = JSON.stringify([ragId, model, failed]);
    const known = this.#uses.get(key);
    const calls = (known?.calls ?? 0) + 1;
    const meanMs = ((known?.latencyMs ?? 0) * (calls - 1) + latencyMs) / calls;
    const inputTokens = (known?.inputTokens ?? 0) + tokens;
    const use = { model, ragIds: [ragId], calls, inputTokens, latencyMs: meanMs, failed };
    this.#uses.set(key, { kind: "embedding", ...use });
  }
}

const lengthOf = (wanted: Wanted[]) =>
  wanted.reduce((sum, { work, chunk }) => sum + embeddedText(work.markdown, chunk).length, 0);
