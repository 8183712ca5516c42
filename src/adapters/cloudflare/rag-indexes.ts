import type { Env } from "../../env.ts";
import type { RagIndexes } from "../../ports/rag-index.ts";

export function ragIndexes(namespace: Env["RAG_INDEX"]): RagIndexes {
  return ({ ragId, generation, shard }) => {
    const id = namespace.idFromName(`${ragId}:${generation}:${shard}`);
    return namespace.get(id);
  };
}
