import { Hono } from "hono";
import { z } from "zod";

import { checkFileSource } from "../../catalog/file-sources/check-file-source.ts";
import { createFileSource } from "../../catalog/file-sources/create-file-source.ts";
import { findFileSource, type FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { listSourceRows } from "../../db/catalog/source-store.ts";
import { listFolder } from "../../db/files/folder-list.ts";
import { listScanRuns } from "../../db/scans/run-list.ts";
import { configSchemaOf } from "../../sources/source-config.ts";
import { removeFileSource } from "../../catalog/file-sources/remove-file-source.ts";
import { renewWebhookSecret } from "../../catalog/file-sources/renew-webhook-secret.ts";
import { updateFileSource } from "../../catalog/file-sources/update-file-source.ts";
import { PROVIDERS } from "../../db/schema/sources.ts";
import { jsonBody } from "../../http/middleware/json-body.ts";
import { relativePath } from "../../http/schemas/relative-path.ts";
import { parseKnownOrRefuse, parseOrRefuse } from "../../http/validation.ts";
import { requestScan } from "../../catalog/file-sources/request-scan.ts";
import type { Services } from "../../services.ts";
import { storedPath } from "../../sources/file-names.ts";
import { identifier, name } from "./request/fields.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import { bodyOf, given, jsonOf, pageOf, pagingOf, refuseChange } from "./request/read-request.ts";
import { shownScan, shownSource } from "./shown-source.ts";

const DEFAULT_INTERVAL_MINUTES = 360;
/** A year. */
const INTERVAL_MINUTES_MAX = 525_600;

const provider = z.enum(PROVIDERS);
const scanIntervalMinutes = z.int().min(0).max(INTERVAL_MINUTES_MAX);

export const newSource = {
  name,
  identifier: identifier.optional(),
  provider,
  scanIntervalMinutes: scanIntervalMinutes.default(DEFAULT_INTERVAL_MINUTES),
};

export const sourcePatch = {
  name,
  identifier: z.string(),
  provider: z.string(),
  scanIntervalMinutes,
};

const fieldOf = (body: unknown, field: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, field) : undefined;

/** Reports what is wrong with the configuration and with the other fields in one error. */
export function checkedSource(body: unknown) {
  const kind = provider.safeParse(fieldOf(body, "provider"));
  const known = kind.success
    ? configSchemaOf(kind.data, fieldOf(body, "config"), false)
    : z.record(z.string(), z.unknown());
  return parseKnownOrRefuse(z.object({ ...newSource, config: known.prefault({}) }), body);
}

export function checkedPatch({ source }: FileSource, body: unknown) {
  const raw = fieldOf(body, "config");
  const config = configSchemaOf(source.provider, raw, source.sealedSecrets !== null);
  return given(parseKnownOrRefuse(z.object({ ...sourcePatch, config }).partial(), body));
}

/** What its provider said of a source that was saved; nothing for one that is not asked. */
async function shownCheck(services: Services, source: FileSource) {
  const check = await checkFileSource(services, { source });
  return check.ok === null ? {} : { check };
}

export function fileSourceRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/", async (context) => {
    const paging = pagingOf(context.req);
    const { offset, limit } = paging;
    const listed = await listSourceRows(context.get("services").db, offset, limit);
    return context.json(pageOf(listed, paging, shownSource));
  });

  app.post("/", jsonBody(), async (context) => {
    const input = checkedSource(await jsonOf(context.req));
    const services = context.get("services");
    const { source, webhookSecret } = await createFileSource(services, input);
    const checked = await shownCheck(services, source);
    return context.json({ ...shownSource(source), webhookSecret, ...checked }, 201);
  });

  app.get("/:id", async (context) => {
    const key = context.req.param("id");
    return context.json(shownSource(await findFileSource(context.get("services"), { key })));
  });

  app.patch("/:id", jsonBody(), async (context) => {
    const services = context.get("services");
    const source = await findFileSource(services, { key: context.req.param("id") });
    const body = checkedPatch(source, await jsonOf(context.req));
    const { identifier: wanted, provider: kind, ...patch } = body;
    refuseChange("identifier", source.source.identifier, wanted);
    refuseChange("provider", source.source.provider, kind);
    const updated = await updateFileSource(services, { source, patch });
    if (patch.config === undefined) return context.json(shownSource(updated));
    return context.json({ ...shownSource(updated), ...(await shownCheck(services, updated)) });
  });

  app.delete("/:id", async (context) => {
    const services = context.get("services");
    const source = await findFileSource(services, { key: context.req.param("id") });
    await removeFileSource(services, { source });
    return context.body(null, 204);
  });
  addActions(app);
  addListings(app);
  return app;
}

export const scanRequest = z.object({ confirmRemovals: z.boolean().default(false) });

function addActions(app: Hono<PanelEnv>): void {
  app.post("/:id/webhook-secret", async (context) => {
    const services = context.get("services");
    const source = await findFileSource(services, { key: context.req.param("id") });
    return context.json({ webhookSecret: await renewWebhookSecret(services, { source }) });
  });

  app.post("/:id/check", async (context) => {
    const services = context.get("services");
    const source = await findFileSource(services, { key: context.req.param("id") });
    return context.json(await checkFileSource(services, { source }));
  });

  app.post("/:id/scan", jsonBody(), async (context) => {
    const services = context.get("services");
    const { source } = await findFileSource(services, { key: context.req.param("id") });
    const { confirmRemovals } = await bodyOf(context.req, scanRequest);
    await requestScan(services, { sourceId: source.id, confirmRemovals, urls: null });
    return context.json({ queued: true }, 202);
  });
}

const FOLDER_ENTRIES = 200;
const PATH_MAX_LENGTH = 4_096;
export const folderQuery = z.object({
  path: relativePath
    .max(PATH_MAX_LENGTH)
    .default("")
    .transform((path) => storedPath(path === "" || path.endsWith("/") ? path : `${path}/`)),
  after: z.string().max(PATH_MAX_LENGTH).optional(),
});

function addListings(app: Hono<PanelEnv>): void {
  app.get("/:id/runs", async (context) => {
    const services = context.get("services");
    const { source } = await findFileSource(services, { key: context.req.param("id") });
    const paging = pagingOf(context.req);
    return context.json(
      pageOf(await listScanRuns(services.db, source.id, paging), paging, shownScan),
    );
  });

  app.get("/:id/folders", async (context) => {
    const services = context.get("services");
    const { source } = await findFileSource(services, { key: context.req.param("id") });
    const { path: folder, after = null } = parseOrRefuse(folderQuery, context.req.query());
    const slice = { sourceId: source.id, folder, after, limit: FOLDER_ENTRIES };
    const entries = await listFolder(services.db, slice);
    const last = entries.length === FOLDER_ENTRIES ? entries.at(-1)?.path : undefined;
    return context.json({ path: folder, entries, after: last ?? null });
  });
}
