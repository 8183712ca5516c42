import { Hono } from "hono";
import { getMimeType } from "hono/utils/mime";

import { notFound } from "../../core/errors.ts";
import { DAY_MS } from "../../core/time.ts";
import type { AppEnv } from "../app-env.ts";
import { baseUrlOf } from "../client-address.ts";
import { failingParts } from "../readiness.ts";

/** The routes outside the APIs and the panel. */
export const siteRoutes = new Hono<AppEnv>();

/** An hour: the names of these files stay the same from one deployment to the next. */
const CACHE = "public, max-age=3600";
/** A year, where the name holds the hash of the content. */
const CACHE_HASHED = "public, max-age=31536000, immutable";
const HASHED_NAME = /\/panel\/[^/]+-[0-9A-Za-z]{8,}\.\w+$/;

const CONTACT_VALID_MS = 90 * DAY_MS;

/** Files that browsers load. They pass through the Worker, so that they have its headers. */
siteRoutes.get("/assets/*", async (context) => {
  // A folder that workerd serves has no types, and lists its folders.
  const type = getMimeType(context.req.path);
  const file = await context.env.ASSETS?.fetch(context.req.raw);
  if (type === undefined || file === undefined) throw notFound();
  if (!file.ok && file.status !== 304) throw notFound();
  const response = new Response(file.body, file);
  response.headers.set("Content-Type", type);
  const isHashed = HASHED_NAME.test(context.req.path);
  response.headers.set("Cache-Control", isHashed ? CACHE_HASHED : CACHE);
  return response;
});

/**
 * `GET /health`: liveness. An answer means that the Worker runs with a valid configuration; an
 * invalid one is a 500 that names the variable. It calls neither the database nor any other
 * service, so that frequent calls are free and fast; `/panel/api/overview` shows those. Calls that
 * failed show that the storage is full.
 */
siteRoutes.get("/health", (context) => {
  const { config, storage, version } = context.get("services");
  const status = storage.noRoomSince === null ? "ok" : "no room";
  return context.json({ status, environment: config.ENVIRONMENT, version }, 200);
});

/** `GET /ready`: whether calls can be answered now. */
siteRoutes.get("/ready", async (context) => {
  const failing = await failingParts(context.get("services"));
  if (failing.length === 0) return context.json({ status: "ok" });
  return context.json({ status: "unavailable", failing }, 503);
});

/** Search engines find nothing here: what is public is for programs. */
siteRoutes.get("/robots.txt", (context) => context.text("User-agent: *\nDisallow: /\n"));

/** RFC 9116 (https://www.rfc-editor.org/rfc/rfc9116): whoever reads it later asks again. */
siteRoutes.get("/.well-known/security.txt", (context) => {
  const { config, now } = context.get("services");
  if (config.SECURITY_CONTACT === undefined) throw notFound();
  const expires = new Date(now() + CONTACT_VALID_MS).toISOString();
  return context.text(`Contact: ${config.SECURITY_CONTACT}\nExpires: ${expires}\n`);
});

/** The root leads people to the panel, and shows programs what is here. */
siteRoutes.get("/", (context) => {
  context.header("Vary", "Accept");
  const isBrowser = (context.req.header("Accept") ?? "").includes("text/html");
  if (isBrowser) return context.redirect("/panel", 302);
  const base = baseUrlOf(context.get("services").config, context.req.raw);
  return context.json({
    name: "Quarry",
    panel: `${base}/panel`,
    reference: `${base}/api/docs`,
    agentsAndWebhooks: `${base}/api/docs/agents-and-webhooks`,
    openapi: `${base}/api/openapi.json`,
  });
});
