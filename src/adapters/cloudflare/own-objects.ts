import type { Env } from "../../env.ts";
import type { RagIndexes } from "../../ports/rag-index.ts";

export const ragIndexes =
  (namespace: Env["RAG_INDEX"]): RagIndexes =>
  ({ ragId, generation, shard }) =>
    namespace.getByName(`${ragId}:${generation}:${shard}`);
