import { DurableObject } from "cloudflare:workers";

import type { Env } from "../env.ts";

/** The index of one RAG, generation and shard: a shell over index-store/. */
export class RagIndex extends DurableObject<Env> {}
