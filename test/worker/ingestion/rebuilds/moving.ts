import { env } from "cloudflare:workers";

import type { RagId } from "../../../../src/core/ids.ts";
import { openDatabase } from "../../../../src/db/client.ts";
import { continueBuild } from "../../../../src/ingestion/rebuilds/build-generation.ts";
import type { World } from "../../../support/ingestion-world.ts";

/** Up to which file the rows of a RAG have followed its last switch; null: all have. */
export const movedAfter = async (rag: RagId) =>
  await env.DB.prepare(
    "select moved_after from rag_generations where rag_id = ? and state = 'live'",
  )
    .bind(rag)
    .first<string | null>("moved_after");

/** The worker dies after the step that switches. */
export async function switchOnly(world: World, rag: RagId): Promise<void> {
  const { $client } = world.services.db;
  const client = new Proxy($client, {
    get(target, name) {
      if (name !== "batch") return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (batch: D1PreparedStatement[]) => {
        if ((await movedAfter(rag)) !== null) throw new Error("died");
        return await target.batch(batch);
      };
    },
  });
  await continueBuild({ ...world.services, db: openDatabase(client) }, rag).catch(() => undefined);
}
