import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { receiveNotifications } from "../../../src/ingestion/webhooks/receive-notifications.ts";
import { graphNotifications } from "../../../src/sources/sharepoint/graph-notifications.ts";
import { SubscriptionsDouble } from "../../doubles/microsoft-graph/subscriptions-double.ts";
import { PushNetwork } from "../../doubles/push-network.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { call } from "../../support/worker-client.ts";

const TOKEN = "the channel's token";
const ADDRESS = "https://quarry.example.com";
const NOTIFICATIONS = 500;
const BURST_MS = 25_000;
const WINDOW_MS = 10_000;
/** 10 notifications from each: the rate window of one address passes 20. */
const ADDRESSES = 50;
const DAY_MS = 86_400_000;

beforeAll(async () => {
  const hash = await sha256Hex(TOKEN);
  for (const id of ["sync", "wrong", "other", "drive", "goog", "expired", "busy"]) {
    await env.DB.batch([
      env.DB.prepare(
        `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
           created_at)
         values (?1, ?1, ?1, 'cloud_drive', '{}', '', 0)`,
      ).bind(id),
      env.DB.prepare(
        `insert into source_watches (id, file_source_id, target, resource_id, token_hash,
           base_url, live, started_at, expires_at)
         values ('channel-' || ?1, ?1, 'changes', 'resource', ?2, '${ADDRESS}', 1, 0, ?3)`,
      ).bind(id, hash, Date.now() + DAY_MS),
    ]);
  }
});

async function notify(
  prefix: string,
  id: string,
  token: string,
  state: string,
  { from, resource = "resource" }: { from?: string; resource?: string } = {},
) {
  const { status, body } = await call("POST", "/api/webhooks/drive", {
    headers: {
      [`X-${prefix}-Channel-ID`]: `channel-${id}`,
      [`X-${prefix}-Channel-Token`]: token,
      [`X-${prefix}-Resource-State`]: state,
      [`X-${prefix}-Resource-ID`]: resource,
      ...(from === undefined ? {} : { "X-Forwarded-For": from }),
    },
  });
  expect({ status, body }).toEqual({ status: 200, body: { ok: true } });
}

const debounceOf = (id: string) => env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(id));

/** When the scan is queued, ms; null when none is to be. */
const dueTime = (id: string) =>
  runInDurableObject(debounceOf(id), async (_, { storage }) => await storage.getAlarm());

/** Whether a scan is queued when the window closes. */
const scanWaits = (id: string) =>
  runInDurableObject(
    debounceOf(id),
    async (_, { storage }) => (await storage.get("fileSourceId")) !== undefined,
  );

const scanIsDue = async (id: string) => (await dueTime(id)) !== null;

test("a change of a known channel brings a scan, under the provider's names too", async () => {
  await notify("Drive", "drive", TOKEN, "change");
  expect([await scanIsDue("drive"), await scanWaits("drive")]).toEqual([true, true]);
  await notify("Goog", "goog", TOKEN, "update");
  expect(await scanIsDue("goog")).toBe(true);
});

test("what opens the channel, has a wrong token or another resource, changes nothing", async () => {
  await notify("Drive", "sync", TOKEN, "sync");
  expect(await scanIsDue("sync")).toBe(false);
  await notify("Drive", "wrong", `${TOKEN}!`, "change");
  expect(await scanIsDue("wrong")).toBe(false);
  await notify("Goog", "other", TOKEN, "change", { resource: "another" });
  expect(await scanIsDue("other")).toBe(false);
});

test("a channel that nobody knows, or that has expired, changes nothing", async () => {
  await notify("Goog", "nobody's", TOKEN, "change");
  expect(await scanIsDue("nobody's")).toBe(false);
  await env.DB.prepare("update source_watches set expires_at = ? where id = 'channel-expired'")
    .bind(Date.now() - 1)
    .run();
  await notify("Goog", "expired", TOKEN, "change");
  expect(await scanIsDue("expired")).toBe(false);
});

/** Two libraries, each watched by a subscription that Graph granted after it reached the Worker. */
async function subscribed() {
  const network = new PushNetwork();
  const graph = new SubscriptionsDouble(network, () => Date.now());
  const pathOf = (address: string) => address.replace(ADDRESS, "");
  graph.reach = async (address) => {
    const { status, body, headers } = await call("POST", pathOf(address));
    return new Response(String(body), { status, headers });
  };
  network.receive = async ({ address, headers, body }) =>
    (await call("POST", pathOf(address), { headers, body })).status;
  const watches = ["first", "second"].map(async (name) => {
    const source = `${name}-${crypto.randomUUID()}`;
    const address = `${ADDRESS}/api/webhooks/graph`;
    const response = await graph.create(
      JSON.stringify({
        changeType: "updated",
        notificationUrl: address,
        lifecycleNotificationUrl: address,
        resource: `/drives/${name}/root`,
        expirationDateTime: new Date(Date.now() + DAY_MS).toISOString(),
        clientState: TOKEN,
      }),
      () => true,
    );
    const { id } = (await response.json()) as { id: string };
    await env.DB.batch([
      env.DB.prepare(
        `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
           watch_due_at, created_at)
         values (?1, ?1, ?1, 'document_site', '{}', '', ?2, 0)`,
      ).bind(source, Date.now() + DAY_MS),
      env.DB.prepare(
        `insert into source_watches (id, file_source_id, target, token_hash, base_url, live,
           started_at, expires_at)
         values (?1, ?2, 'drive', ?3, '${ADDRESS}', 1, ?4, ?5)`,
      ).bind(id, source, await sha256Hex(TOKEN), Date.now(), Date.now() + DAY_MS),
    ]);
    return { id, source };
  });
  return { graph, network, watches: await Promise.all(watches) };
}

const isDueForRenewal = async (source: string) =>
  (await env.DB.prepare("select watch_due_at <= ? as due from file_sources where id = ?")
    .bind(Date.now(), source)
    .first<number>("due")) === 1;

test("Graph's validation is answered with its token as plain text", async () => {
  const token = "Validation: a <b>token</b> & more, 100% opaque";
  const path = `/api/webhooks/graph?validationToken=${encodeURIComponent(token)}`;
  const { status, headers, body } = await call("POST", path);
  expect({ status, body }).toEqual({ status: 200, body: token });
  expect(headers.get("content-type")).toMatch(/^text\/plain/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const long = await call("POST", `/api/webhooks/graph?validationToken=${"x".repeat(5_000)}`);
  expect(long.status).toBe(400);
});

test("a change that Graph tells of brings a scan of its source alone", async () => {
  const { graph, network, watches } = await subscribed();
  expect(graph.live()).toHaveLength(2);
  const scans = async () =>
    await Promise.all(
      watches.map(async ({ source }) => [await scanIsDue(source), await scanWaits(source)]),
    );
  graph.changed("second");
  await network.deliver();
  // The first one's scan began at once.
  expect(await scans()).toEqual([
    [false, false],
    [true, false],
  ]);
  graph.changed("second");
  await network.deliver({ copies: () => 3 });
  expect(network.answered).toEqual([202, 202, 202, 202]);
  expect(await scans()).toEqual([
    [false, false],
    [true, true],
  ]);
});

test("a call of many notifications costs one read, and each source one scan", async () => {
  const { watches } = await subscribed();
  const notifications = watches.map(({ id }) => ({ subscriptionId: id, clientState: TOKEN }));
  const unknown = Array.from({ length: 90 }, (_, at) => ({
    subscriptionId: `nobody's ${at}`,
    clientState: TOKEN,
  }));
  const missed = notifications.map((each) => ({ ...each, lifecycleEvent: "missed" }));
  const counts = noRows();
  const scans: string[] = [];
  const result = await graphNotifications({
    header: () => undefined,
    query: () => undefined,
    text: async () => JSON.stringify({ value: [...unknown, ...notifications, ...missed] }),
  });
  await receiveNotifications(
    {
      db: openDatabase(countedRows(env.DB, counts)),
      now: () => Date.now(),
      debounceDriveScan: async (id) => void scans.push(id),
    },
    typeof result === "string" ? [] : result,
  );
  expect({ calls: counts.calls, scans }).toEqual({
    calls: 1,
    scans: watches.map(({ source }) => source),
  });
});

test("what Graph did not send, or nobody understands, changes nothing", async () => {
  const { watches } = await subscribed();
  const { id = "", source = "" } = watches[0] ?? {};
  const notification = { subscriptionId: id, changeType: "updated" };
  const bodies = [
    {
      value: [
        { ...notification, clientState: `${TOKEN}!` },
        { ...notification, clientState: 7 },
        notification,
        null,
      ],
    },
    { value: [{ ...notification, clientState: TOKEN, lifecycleEvent: "anotherOne" }] },
    { value: [{ ...notification, clientState: TOKEN, subscriptionId: "nobody's" }] },
    { value: "x" },
  ].map((body) => JSON.stringify(body));
  for (const body of [...bodies, "", "{", "[]"]) {
    expect(await call("POST", "/api/webhooks/graph", { body })).toMatchObject({ status: 202 });
  }
  expect(await scanIsDue(source)).toBe(false);
  expect(await isDueForRenewal(source)).toBe(false);
});

test.each([
  ["missed", { scan: true, renewal: false }],
  ["reauthorizationRequired", { scan: false, renewal: true }],
  ["subscriptionRemoved", { scan: true, renewal: true }],
] as const)("Graph's %s leads to what it asks for", async (event, expected) => {
  const { graph, network, watches } = await subscribed();
  graph.tell(event);
  await network.deliver();
  for (const { source } of watches) {
    expect({ scan: await scanIsDue(source), renewal: await isDueForRenewal(source) }).toEqual(
      expected,
    );
  }
});

test("500 notifications in 25 seconds from many addresses make 3 scans", async () => {
  // Ahead of the runtime's own clock, which would call the alarm on a slow machine.
  const start = Date.now() + 10 * MINUTE_MS;
  let now = start;
  const scans: unknown[] = [];
  const sendBatch = async (batch: { body: unknown }[]) =>
    void scans.push(...batch.map(({ body }) => body));
  await runInDurableObject(debounceOf("busy"), (object) => {
    Object.defineProperty(object, "env", { value: { ...env, SCAN_QUEUE: { sendBatch } } });
  });
  vi.spyOn(Date, "now").mockImplementation(() => now);
  const closeWhatIsDue = async () => {
    const closes = await dueTime("busy");
    if (closes !== null && closes <= now) await runDurableObjectAlarm(debounceOf("busy"));
  };
  for (let at = 0; at < NOTIFICATIONS; at++) {
    now = start + Math.floor((at * BURST_MS) / NOTIFICATIONS);
    await closeWhatIsDue();
    const address = `192.0.2.${at % ADDRESSES}`;
    await notify(at % 2 === 0 ? "Goog" : "Drive", "busy", TOKEN, "change", { from: address });
  }
  expect(scans).toHaveLength(2);
  now += WINDOW_MS;
  await closeWhatIsDue();
  const scan = { kind: "scan", fileSourceId: "busy", confirmRemovals: false, urls: null };
  expect(scans).toEqual([scan, scan, scan]);
  expect(await scanIsDue("busy")).toBe(false);
});
