import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { afterAll, expect, test } from "vitest";

import { queuesSettled } from "../../support/queues-settled.ts";
import { call, signedIn } from "../../support/worker-client.ts";

const MAIN = { ref: "refs/heads/main", repository: { default_branch: "main" } };
const admin = await signedIn();
afterAll(queuesSettled);

type Made = { id: string; identifier: string; webhookSecret: string };

/** A source whose scans are refused before they leave the machine. */
const make = (name: string, branch?: string) =>
  admin.create<Made>("/file-sources", {
    name,
    provider: "github",
    config: {
      owner: "acme",
      credentials: { token: "github_pat_x" },
      apiBaseUrl: "https://github.internal",
      ...(branch === undefined ? {} : { branch }),
    },
  });

async function deliver(key: string, secret: string, event: string, payload: object = {}) {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const headers = { "X-GitHub-Event": event, "X-Hub-Signature-256": signature };
  return await call("POST", `/api/webhooks/github/${key}`, { headers, body });
}

const scanIsDue = (id: string) =>
  runInDurableObject(
    env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(id)),
    async (_, { storage }) => (await storage.getAlarm()) !== null,
  );

test("a signed event scans its source, by id or identifier, and no other event does", async () => {
  const { id, identifier, webhookSecret } = await make("Signed events");
  for (const event of ["ping", "star", "workflow_run"]) {
    expect((await deliver(id, webhookSecret, event)).status).toBe(200);
  }
  const elsewhere = { ...MAIN, ref: "refs/heads/feature" };
  expect((await deliver(id, webhookSecret, "push", elsewhere)).status).toBe(200);
  expect(await scanIsDue(id)).toBe(false);
  const answer = await deliver(identifier, webhookSecret, "push", MAIN);
  expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
  expect(await scanIsDue(id)).toBe(true);
});

test("a push to the source's own branch brings a scan", async () => {
  const { id, webhookSecret } = await make("Own branch", "release");
  await deliver(id, webhookSecret, "push", MAIN);
  expect(await scanIsDue(id)).toBe(false);
  await deliver(id, webhookSecret, "push", { ...MAIN, ref: "refs/heads/release" });
  expect(await scanIsDue(id)).toBe(true);
});

test("a wrong signature is refused, and a source of another kind is none", async () => {
  const { id, webhookSecret } = await make("Guarded");
  for (const secret of ["", "wrong", webhookSecret.toUpperCase()]) {
    expect((await deliver(id, secret || " ", "push", MAIN)).status).toBe(401);
  }
  const path = `/api/webhooks/github/${id}`;
  expect((await call("POST", path, { body: "{}" })).status).toBe(401);
  const folder = await admin.create<Made>("/file-sources", {
    name: "No repository",
    provider: "file_system",
  });
  expect((await deliver(folder.id, folder.webhookSecret, "push", MAIN)).status).toBe(404);
  expect((await deliver("nothing", webhookSecret, "push", MAIN)).status).toBe(404);
  expect(await scanIsDue(id)).toBe(false);
});

test("a new secret replaces the old one, and neither is stored in the clear", async () => {
  const { id, webhookSecret } = await make("Renewed");
  const renewed = await admin.send("POST", `/file-sources/${id}/webhook-secret`);
  const { webhookSecret: next } = renewed.body as Made;
  expect((await deliver(id, webhookSecret, "push", MAIN)).status).toBe(401);
  expect((await deliver(id, next, "push", MAIN)).status).toBe(200);
  const row = await env.DB.prepare("select * from file_sources where id = ?").bind(id).first();
  expect(JSON.stringify(row)).not.toContain(next.slice("qryw_".length));
});
