import { Hono } from "hono";

import { notFound } from "../../core/errors.ts";
import type { AppEnv } from "../app-env.ts";

/** An hour: the names of the files stay the same from one deployment to the next. */
const CACHE = "public, max-age=3600";

export const assetRoutes = new Hono<AppEnv>();

/** What browsers load, behind the Worker, so that every answer bears the same headers. */
assetRoutes.get("/assets/*", async (context) => {
  const assets = context.env.ASSETS;
  const found = await assets?.fetch(context.req.raw);
  if (found === undefined || (!found.ok && found.status !== 304)) throw notFound();
  const response = new Response(found.body, found);
  response.headers.set("Cache-Control", CACHE);
  return response;
});
