import { DurableObject } from "cloudflare:workers";

import type { Env } from "../env.ts";

/** The sliding rate window of one surface and client. */
export class RateWindow extends DurableObject<Env> {}
