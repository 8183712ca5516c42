import type { RagIndex } from "../../ports/rag-index.ts";
import type { VectorIndex } from "../../ports/vector-index.ts";
import type { Services } from "../../services.ts";

/** What one call to a vector index takes at most, however many ids it is given. */
const IDS_PER_LOOK = 20;
const IDS_PER_REMOVAL = 100;

/** Calls to other services that a part of an invocation may make yet. */
export type CallBudget = { isLeft: () => boolean; spend: (calls: number) => void };

export function callBudget(calls: number): CallBudget {
  let left = calls;
  return {
    isLeft: () => left > 0,
    spend: (spent) => {
      left -= spent;
    },
  };
}

/** The same services; what they call is taken off the budget. They call on when it is used up. */
export function spending<Given extends Pick<Services, "ragIndexes">>(
  services: Given,
  { spend }: CallBudget,
): Given {
  const { ragIndexes } = services;
  return { ...services, ragIndexes: (address) => spendingIndex(ragIndexes(address), spend) };
}

/** An index object answers each method by one call. */
function spendingIndex(index: RagIndex, spend: CallBudget["spend"]): RagIndex {
  return new Proxy(index, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        spend(1);
        return Reflect.apply(method, target, args);
      };
    },
  });
}

export function spendingVectorIndex(index: VectorIndex, { spend }: CallBudget): VectorIndex {
  const after = <Answer>(calls: number, call: () => Promise<Answer>): Promise<Answer> => {
    spend(calls);
    return call();
  };
  return {
    upsert: (...args) => after(1, () => index.upsert(...args)),
    query: (...args) => after(1, () => index.query(...args)),
    near: (...args) => after(1, () => index.near(...args)),
    processedUpTo: () => after(1, () => index.processedUpTo()),
    present: (ids) => after(Math.ceil(ids.length / IDS_PER_LOOK), () => index.present(ids)),
    remove: (ids) => after(Math.ceil(ids.length / IDS_PER_REMOVAL), () => index.remove(ids)),
  };
}
