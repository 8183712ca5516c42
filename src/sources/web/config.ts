import type { z } from "zod";

import type { webConfig } from "./web-config.ts";

/** Patterns of `include` and `exclude`: see `url-filter.ts`. */
export type WebConfig = z.infer<typeof webConfig>;
