import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";

import { createFileSource } from "../../../src/catalog/file-sources/create-file-source.ts";
import { composeServices } from "../../../src/compose.ts";
import { parseConfig } from "../../../src/config.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { takeDueSources } from "../../../src/db/scans/scan-store.ts";
import { PROVIDERS } from "../../../src/sources/registry.ts";
import { openConfig } from "../../../src/sources/source-secrets.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn, outcomeOf } from "../../support/worker-client.ts";

type Source = { id: string; identifier: string; config: Record<string, unknown> };

const admin = await signedIn();
afterAll(queuesSettled);

/** Hosts end in .internal: the scans that begin are refused before they leave the machine. */
const bucket = (config: object = {}) => ({
  endpoint: "https://s3.internal",
  region: "eu-1",
  bucket: "papers",
  credentials: { accessKeyId: "AKIA-visible-nowhere", secretAccessKey: "very-secret-key" },
  ...config,
});

const make = (body: object) => admin.create<Source>("/file-sources", body);

/** The configuration as the one who talks to the provider gets it. */
async function readConfig(id: string) {
  const row = await env.DB.prepare("select config, sealed_secrets from file_sources where id = ?")
    .bind(id)
    .first<{ config: string; sealed_secrets: string | null }>();
  if (row === null) throw new Error("no such source");
  const record = { config: JSON.parse(row.config) as object, sealedSecrets: row.sealed_secrets };
  return await openConfig(parseConfig({ ...env }), { ...record, config: { ...record.config } });
}

test("a source is created with a secret shown once, and found by id and identifier", async () => {
  const source = await make({ name: "Staff Händbook", provider: "file_system" });
  expect(source).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Staff Händbook",
    identifier: "staff-handbook",
    provider: "file_system",
    config: {},
    scanIntervalMinutes: 360,
    permissions: "off",
    defaultReaders: [],
    imageModel: null,
    pictures: false,
    status: "active",
    lastScan: null,
    createdAt: expect.any(String),
    webhookSecret: expect.stringMatching(/^qryw_[0-9A-Za-z]{38}$/),
  });
  const { webhookSecret: _once, ...publicFields } = source as Source & { webhookSecret: string };
  expect((await admin.send("GET", `/file-sources/${source.id}`)).body).toEqual(publicFields);
  expect((await admin.send("GET", "/file-sources/staff-handbook")).body).toEqual(publicFields);
  expect((await admin.send("GET", "/file-sources/other")).status).toBe(404);
});

test("a taken identifier is 409, one that cannot be made from the name 400", async () => {
  await make({ name: "Taken", provider: "file_system" });
  const duplicate = { name: "taken!", provider: "file_system" };
  expect(outcomeOf(await admin.send("POST", "/file-sources", duplicate))).toBe(
    "409 Identifier is taken: send another one as identifier",
  );
  expect(outcomeOf(await admin.send("POST", "/file-sources", { ...duplicate, name: "文書" }))).toBe(
    "400 Invalid request: identifier is required: it cannot be made from this name",
  );
  const japanese = { name: "文書", identifier: "documents", provider: "file_system" };
  expect(await make(japanese)).toMatchObject({ name: "文書", identifier: "documents" });
});

test.each([
  [{}, "name is required; provider is required"],
  [
    { name: "x", identifier: "Not A Slug", provider: "ftp", scanIntervalMinutes: -1 },
    `identifier must be lower-case letters and digits, joined by single hyphens; provider must be one of ${PROVIDERS.join(", ")}; scanIntervalMinutes must be at least 0`,
  ],
  [
    { provider: "object_storage", config: { endpoint: "ftp://x", bucket: "" } },
    "name is required; config.endpoint must be an http or https URL without credentials; config.region is required; config.bucket must have at least 1 character; config.credentials is required",
  ],
  [
    { name: "x", provider: "object_storage", config: { r2: true, bucket: "b" } },
    "config.bucket is not known",
  ],
  [
    { name: "x", provider: "file_system", config: { folder: "/home" } },
    "config.folder is not known",
  ],
  [
    { name: "x", provider: "web", config: { startUrls: ["https://a:b@c.example/"], maxDepth: 99 } },
    "config.startUrls[0] must be an http or https URL without credentials; config.maxDepth must be at most 20",
  ],
  [{ name: "x", provider: "web", config: [] }, "config must be an object"],
  [
    { name: "x", provider: "cloud_drive", config: { credentials: { client_email: "a@b" } } },
    "config.credentials.private_key is required",
  ],
  [
    {
      name: "x",
      provider: "document_site",
      config: { tenantId: "t", clientId: "c", clientSecret: "s" },
    },
    "config.siteId or driveId is required",
  ],
])("%j is refused with all its fields", async (body, problems) => {
  const answer = await admin.send("POST", "/file-sources", body);
  expect(outcomeOf(answer)).toBe(`400 Invalid request: ${problems}`);
});

test("credentials are sealed, never answered, and stay when a change leaves them out", async () => {
  const source = await make({ name: "Bucket", provider: "object_storage", config: bucket() });
  const publicConfig = { ...bucket(), pathStyle: true, credentials: true };
  expect(source.config).toEqual(publicConfig);
  const { results } = await env.DB.prepare("select * from file_sources").all();
  expect(JSON.stringify(results)).not.toMatch(/very-secret-key|AKIA-visible-nowhere/);
  expect((await readConfig(source.id))["credentials"]).toEqual(bucket().credentials);

  const { credentials: _kept, ...rest } = bucket({ bucket: "letters" });
  const patched = await admin.send("PATCH", "/file-sources/bucket", { config: rest });
  expect(patched.body).toMatchObject({ config: { ...publicConfig, bucket: "letters" } });
  expect(await readConfig(source.id)).toMatchObject(bucket({ bucket: "letters" }));

  // A config from an answer can be sent back as it is.
  const echoed = (patched.body as Source).config;
  expect((await admin.send("PATCH", "/file-sources/bucket", { config: echoed })).status).toBe(200);
  expect((await readConfig(source.id))["credentials"]).toEqual(bucket().credentials);

  const renewed = { accessKeyId: "new", secretAccessKey: "newer" };
  await admin.send("PATCH", "/file-sources/bucket", { config: bucket({ credentials: renewed }) });
  expect((await readConfig(source.id))["credentials"]).toEqual(renewed);

  await admin.send("PATCH", "/file-sources/bucket", { config: { r2: true } });
  expect(await readConfig(source.id)).toEqual({ r2: true });
  const without = await admin.send("PATCH", "/file-sources/bucket", { config: rest });
  expect(without.body).toEqual({ error: "Invalid request: config.credentials is required" });
});

test("a `true` in place of a secret that was never set is no secret", async () => {
  const config = bucket({ credentials: true });
  const body = { name: "x", provider: "object_storage", config };
  expect(outcomeOf(await admin.send("POST", "/file-sources", body))).toBe(
    "400 Invalid request: config.credentials must be an object",
  );
});

test("a source that is saved says what its provider answers, and says it again", async () => {
  const refusal = { ok: false, message: expect.stringContaining("ALLOW_PRIVATE_URLS=true") };
  const source = await make({ name: "Checked", provider: "object_storage", config: bucket() });
  expect(source).toMatchObject({ check: refusal });
  expect(await admin.send("POST", "/file-sources/checked/check")).toMatchObject({ body: refusal });
  const config = bucket({ bucket: "other" });
  const changed = await admin.send("PATCH", "/file-sources/checked", { config });
  expect(changed.body).toMatchObject({ check: refusal });
});

test("a service account may be given as the text of its key file", async () => {
  const account = {
    type: "service_account",
    client_email: "a@b",
    private_key: "-----BEGIN",
    token_uri: "https://token.internal/",
  };
  const apiBaseUrl = "https://drive.internal";
  const config = { credentials: JSON.stringify(account), sharedDriveId: "drive", apiBaseUrl };
  const source = await make({ name: "Drive", provider: "cloud_drive", config });
  expect(source.config).toEqual({ credentials: true, sharedDriveId: "drive", apiBaseUrl });
  expect((await readConfig(source.id))["credentials"]).toEqual(account);
});

test("name and interval change; identifier and provider never do", async () => {
  await make({ name: "Site", provider: "web", config: { startUrls: ["https://site.internal/"] } });
  const patched = await admin.send("PATCH", "/file-sources/site", {
    name: "The site",
    scanIntervalMinutes: 0,
    identifier: "site",
  });
  expect(patched).toMatchObject({
    status: 200,
    body: {
      name: "The site",
      identifier: "site",
      scanIntervalMinutes: 0,
      config: { startUrls: ["https://site.internal/"], maxDepth: 3 },
    },
  });
  const due = async () => {
    const sql = "select next_scan_at as due from file_sources where identifier = 'site'";
    return await env.DB.prepare(sql).first<number | null>("due");
  };
  expect(await due()).toBeNull();
  const before = Date.now();
  await admin.send("PATCH", "/file-sources/site", { scanIntervalMinutes: 15 });
  expect(await due()).toBeGreaterThanOrEqual(before + 15 * MINUTE_MS);
  expect(outcomeOf(await admin.send("PATCH", "/file-sources/site", { identifier: "x" }))).toBe(
    "400 Invalid request: identifier cannot be changed",
  );
  expect((await admin.send("PATCH", "/file-sources/site", { provider: "web" })).status).toBe(200);
  expect((await admin.send("PATCH", "/file-sources/site", { provider: "x" })).status).toBe(400);
});

test("the webhook secret is renewed, and only its hash is kept", async () => {
  const source = await make({ name: "Hooked", provider: "web" });
  const renewed = await admin.send("POST", "/file-sources/hooked/webhook-secret");
  const { webhookSecret } = renewed.body as { webhookSecret: string };
  expect(renewed.status).toBe(200);
  expect(webhookSecret).toMatch(/^qryw_/);
  expect(source).not.toMatchObject({ webhookSecret });
  const { results } = await env.DB.prepare("select * from file_sources").all();
  expect(JSON.stringify(results)).not.toContain(webhookSecret);
});

test("a source is removed at once unless a RAG uses it; then its identifier is free", async () => {
  const source = await make({ name: "Going", provider: "file_system" });
  await admin.send("POST", "/rags", { name: "User of it", fileSource: "going" });
  expect(outcomeOf(await admin.send("DELETE", "/file-sources/going"))).toBe(
    "409 File source is in use by RAGs: user-of-it",
  );
  expect((await admin.send("DELETE", "/rags/user-of-it")).status).toBe(204);
  expect((await admin.send("DELETE", "/file-sources/going")).status).toBe(204);
  expect((await admin.send("GET", `/file-sources/${source.id}`)).status).toBe(404);
  expect((await admin.send("DELETE", "/file-sources/going")).status).toBe(404);
  const secondSource = await make({ name: "Going", provider: "file_system" });
  expect(secondSource.id).not.toBe(source.id);
});

test("lists come in pages in order of identifier", async () => {
  const all = await admin.send("GET", "/file-sources?limit=100");
  const { data, total } = all.body as { data: Source[]; total: number };
  const identifiers = data.map(({ identifier }) => identifier);
  expect(identifiers).toEqual([...identifiers].sort());
  expect(total).toBe(identifiers.length);
  const second = await admin.send("GET", "/file-sources?page=2&limit=2");
  expect(second.body).toMatchObject({ data: data.slice(2, 4), total, page: 2, limit: 2 });
  const beyond = await admin.send("GET", "/file-sources?page=1000");
  expect(beyond.body).toMatchObject({ data: [], total, page: 1_000, limit: 20 });
});

test("a scan can be asked for", async () => {
  await make({ name: "To scan", provider: "file_system" });
  const response = await admin.send("POST", "/file-sources/to-scan/scan");
  expect(response).toMatchObject({ status: 202, body: { queued: true } });
  const wrong = await admin.send("POST", "/file-sources/to-scan/scan", { confirmRemovals: "yes" });
  expect(wrong.body).toEqual({ error: "Invalid request: confirmRemovals must be a boolean" });
  expect((await admin.send("POST", "/file-sources/none/scan")).status).toBe(404);
  await env.DB.prepare(
    `insert into scan_runs (id, file_source_id, started_at, finished_at, added, error)
     select 'run-' || value, s.id, value * 1000, value * 1000 + 500, value, 'a reason'
     from file_sources s, json_each('[1, 2, 3]') where s.identifier = 'to-scan'`,
  ).run();
  const runs = await admin.send("GET", "/file-sources/to-scan/runs?page=2&limit=2");
  expect(runs.body).toMatchObject({
    data: [{ startedAt: "1970-01-01T00:00:01.000Z", added: 1, error: "a reason" }],
    total: 3,
    page: 2,
  });
  expect(JSON.stringify(runs.body)).not.toContain("progress");
});

test("the first scan of a new source is due within a minute if its message is lost", async () => {
  const before = Date.now();
  const services = {
    ...composeServices(env, createExecutionContext()),
    queue: {
      scan: async () => undefined,
      index: async () => undefined,
      usage: async () => undefined,
    },
  };
  const {
    source: { source },
  } = await createFileSource(services, {
    name: "Lost at first",
    provider: "web",
    config: { startUrls: ["https://pages.internal/"] },
    scanIntervalMinutes: 0,
  });
  const row = await env.DB.prepare("select next_scan_at as due from file_sources where id = ?")
    .bind(source.id)
    .first<{ due: number }>();
  expect(row?.due).toBeGreaterThanOrEqual(before + MINUTE_MS);
  expect(row?.due).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
  const due = await takeDueSources(services.db, Date.now() + MINUTE_MS, Date.now() + 2 * MINUTE_MS);
  expect(due).toContain(source.id);
  await admin.send("DELETE", `/file-sources/${source.id}`);
});
