import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";

import { bearerIn } from "../../access/bearer.ts";
import { unseal } from "../../access/seal.ts";
import { notFound, unauthorized } from "../../core/errors.ts";
import { equalInConstantTime, hmac, sha256Hex } from "../../core/hash.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { webUrlIn } from "../../core/input/web-address.ts";
import { findHookedSource } from "../../db/scans/webhook-store.ts";
import { pushUrls } from "../../ingestion/webhooks/push-urls.ts";
import { receiveNotifications } from "../../ingestion/webhooks/receive-notifications.ts";
import { MAX_URL_LENGTH } from "../../sources/guarded-url.ts";
import { SOURCES, pushKind } from "../../sources/registry.ts";
import { pushLimits, type PushLimits } from "../../sources/web/web-config.ts";
import type { AppEnv } from "../app-env.ts";
import { auditAs } from "../middleware/audit.ts";
import { readText } from "../middleware/json-body.ts";
import { errorResponses } from "../schemas/error.ts";
import { bearer, json, jsonRequest, checkJson, TAGS } from "./route-parts.ts";

const UNAUTHORIZED = 401;
const URLS_LIMIT = 1_000;
/** A provider's full batch is far below. */
const NOTIFICATIONS_LIMIT_BYTES = 1_048_576;
/** A push of a thousand commits is below; changes of longer ones are found by the interval. */
const EVENT_LIMIT_BYTES = 4 * NOTIFICATIONS_LIMIT_BYTES;

type PushTarget = { sourceId: FileSourceId; limits: PushLimits };
type SourceEnv = AppEnv & { Variables: AppEnv["Variables"] & { pushed: PushTarget } };

/** The source first (404), then its own secret (401). */
const guardWebSource = createMiddleware<SourceEnv>(async (context, next) => {
  const { db } = context.get("services");
  const source = await findHookedSource(db, context.req.param("file_source_id") ?? "");
  if (source === null || pushKind(source.provider) !== "addresses") throw notFound();
  const secret = bearerIn(context.req.header("Authorization") ?? null) ?? "";
  if (!(await equalInConstantTime(await sha256Hex(secret), source.webhookSecretHash))) {
    throw unauthorized();
  }
  context.set("pushed", { sourceId: source.id, limits: pushLimits.parse(source.config) });
  await next();
});

/** A longer address is never fetched and might exceed a row's limit; longer text is dropped. */
const pushedUrl = z
  .string()
  .refine(
    (text) => text.length <= MAX_URL_LENGTH || webUrlIn(text) === null,
    `must have at most ${MAX_URL_LENGTH} characters`,
  );

const sourceParams = z.object({
  file_source_id: z
    .string()
    .openapi({ description: "Id or identifier of the source.", example: "website" }),
});
const PushedUrls = z.object({ urls: z.array(pushedUrl).max(URLS_LIMIT) });

const pushWebUrls = createRoute({
  hide: true,
  operationId: "pushWebUrls",
  tags: [TAGS.webhooks],
  summary: "Push addresses of a web source",
  description: "Quarry fetches them soon. The bearer is the source's webhook secret, not a token.",
  security: bearer,
  method: "post",
  path: "/api/webhooks/web/{file_source_id}",
  middleware: [
    auditAs("webhooks.push", "file_source_id", UNAUTHORIZED),
    guardWebSource,
    ...checkJson(PushedUrls),
  ] as const,
  request: { params: sourceParams, body: jsonRequest(PushedUrls) },
  responses: {
    200: json(
      z.object({ ok: z.literal(true), accepted: z.int(), queued: z.boolean() }),
      "The number of accepted addresses.",
    ),
    ...errorResponses(400, 404, 413, 415),
  },
});

/** Where providers report changes; the answer reveals nothing. */
const reported = SOURCES.flatMap(({ name, notifications }) => {
  if (notifications === undefined) return [];
  const { path, status } = notifications;
  return createRoute({
    hide: true,
    operationId: `receive${name.replaceAll(/\W+/g, "")}Notifications`,
    tags: [TAGS.webhooks],
    summary: `Notifications of ${name}`,
    description: `${name} calls this when files change. Quarry accepts a call only with the secret that it gave the provider.`,
    security: [],
    method: "post",
    path,
    responses: {
      [status]: json(z.object({ ok: z.literal(true) }), "The same for every call."),
      ...errorResponses(413),
    },
  });
});

/** Where providers call to whom a person gave the address and the secret of a source's webhook. */
const eventRoutes = SOURCES.flatMap(({ id, name, events }) =>
  events === undefined
    ? []
    : createRoute({
        hide: true,
        operationId: `receive${name}Events`,
        tags: [TAGS.webhooks],
        summary: `Events of ${name}`,
        description: `${name} calls this when something changes, signed with the source's webhook secret. Quarry scans the source ten seconds after the first call.`,
        security: [],
        method: "post",
        path: `/api/webhooks/${id}/{file_source_id}`,
        request: { params: sourceParams },
        responses: {
          200: json(z.object({ ok: z.literal(true) }), "The call is genuine."),
          ...errorResponses(401, 404, 413),
        },
      }),
);

export const webhookReference = [pushWebUrls, ...reported, ...eventRoutes];

export const webhookRoutes = new OpenAPIHono<AppEnv>();

webhookRoutes.openapi(pushWebUrls, async (context) => {
  const { services, pushed } = context.var;
  const urls = context.req.valid("json").urls.filter((url) => webUrlIn(url) !== null);
  const queued = urls.length > 0 && (await pushUrls(services, { ...pushed, urls }));
  return context.json({ ok: true as const, accepted: urls.length, queued }, 200);
});

for (const { id, provider, events } of SOURCES) {
  if (events === undefined) continue;
  const path = `/api/webhooks/${id}/:file_source_id`;
  const refusal = auditAs("webhooks.push", "file_source_id", UNAUTHORIZED);
  webhookRoutes.post(path, refusal, async (context) => {
    const services = context.get("services");
    const { req } = context;
    const source = await findHookedSource(services.db, req.param("file_source_id") ?? "");
    if (source === null || source.provider !== provider) throw notFound();
    const body = await readText(req.raw, EVENT_LIMIT_BYTES);
    const secret = await unseal(services.config, source.sealedWebhookSecret ?? "").catch(() => "");
    const signature = req.header("X-Hub-Signature-256") ?? "";
    const expected =
      secret === "" ? "" : `sha256=${(await hmac(Buffer.from(secret), body)).toString("hex")}`;
    if (expected === "" || !(await equalInConstantTime(signature, expected))) throw unauthorized();
    const text = async () => await Promise.resolve(body);
    const call = { header: (name: string) => req.header(name), query: () => undefined, text };
    if (await events(call, source.config)) await services.debounceDriveScan(source.id);
    return context.json({ ok: true }, 200);
  });
}

for (const { notifications } of SOURCES) {
  if (notifications === undefined) continue;
  const { path, status, parse, startsAtOnce } = notifications;
  webhookRoutes.post(path, async (context) => {
    const { req } = context;
    const reported = await parse({
      header: (name) => req.header(name),
      query: (name) => req.query(name),
      text: async () => await readText(req.raw, NOTIFICATIONS_LIMIT_BYTES),
    });
    if (typeof reported === "string") return context.text(reported, 200);
    await receiveNotifications(context.get("services"), reported, startsAtOnce);
    // The answer is always the same: an error would make the provider retry.
    return context.json({ ok: true }, status);
  });
}
