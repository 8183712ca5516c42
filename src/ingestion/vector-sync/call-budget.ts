import type { RagIndex } from "../../ports/rag-index.ts";
import type { VectorIndex } from "../../ports/vector-index.ts";
import type { Services } from "../../services.ts";

/** Ids that one call to the vector index takes at most. */
const IDS_PER_LOOK = 20;
const IDS_PER_REMOVAL = 100;

/** How many more calls to other services this part of an invocation may make. */
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

/** The same services with their calls counted; an exhausted budget does not block calls. */
export function spending<Given extends Pick<Services, "ragIndexes">>(
  services: Given,
  { spend }: CallBudget,
): Given {
  const { ragIndexes } = services;
  return { ...services, ragIndexes: (address) => spendingIndex(ragIndexes(address), spend) };
}

/** Each method of an index object is one call. */
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
