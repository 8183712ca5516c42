import { DurableObject } from "cloudflare:workers";

import type { Env } from "../env.ts";

/** The service's one clock: queues due scans and runs the sweep. */
export class Clock extends DurableObject<Env> {}
