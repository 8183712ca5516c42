import { DurableObject } from "cloudflare:workers";

import type { Env } from "../env.ts";

/** Groups a drive's notifications into windows of 10 seconds. */
export class DriveDebounce extends DurableObject<Env> {}
