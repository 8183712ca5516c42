import type { RagIndexes, RagIndex } from "../../ports/rag-index.ts";

/** The objects of a namespace by their addresses. */
export function ragIndexes(namespace: DurableObjectNamespace): RagIndexes {
  return ({ ragId, generation, shard }) => {
    const id = namespace.idFromName(`${ragId}:${generation}:${shard}`);
    // The stub answers every method of the object's class, which implements the port.
    return namespace.get(id) as unknown as RagIndex;
  };
}
