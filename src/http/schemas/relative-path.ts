import { z } from "@hono/zod-openapi";

export const MUST_BE_RELATIVE = "must be relative, without a leading /";

/** A path as scopes have it, wherever one is given. */
export const relativePath = z.string().regex(/^(?!\/)/, MUST_BE_RELATIVE);
