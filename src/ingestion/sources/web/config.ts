import type { z } from "zod";

import type { webConfig } from "../../../catalog/provider-config/web.ts";

/** Patterns of `include` and `exclude`: see `url-filter.ts`. */
export type WebConfig = z.infer<typeof webConfig>;
