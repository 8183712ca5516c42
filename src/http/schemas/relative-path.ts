import { z } from "@hono/zod-openapi";

/** A path as scopes have it, wherever one is given. */
export const relativePath = z.string().regex(/^(?!\/)/, "must be relative, without a leading /");
