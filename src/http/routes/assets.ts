import { Hono } from "hono";

import { notFound } from "../../core/errors.ts";
import type { AppEnv } from "../app-env.ts";

/** An hour: the names of these files stay the same from one deployment to the next. */
const CACHE = "public, max-age=3600";
/** A year, where the name holds the hash of the content. */
const CACHE_HASHED = "public, max-age=31536000, immutable";
const HASHED_NAME = /\/panel\/[^/]+-[0-9A-Za-z]{8,}\.\w+$/;

export const assetRoutes = new Hono<AppEnv>();

/** What browsers load, behind the Worker, so that every answer bears the same headers. */
assetRoutes.get("/assets/*", async (context) => {
  const assets = context.env.ASSETS;
  const found = await assets?.fetch(context.req.raw);
  if (found === undefined || (!found.ok && found.status !== 304)) throw notFound();
  const response = new Response(found.body, found);
  const isHashed = HASHED_NAME.test(context.req.path);
  response.headers.set("Cache-Control", isHashed ? CACHE_HASHED : CACHE);
  return response;
});
