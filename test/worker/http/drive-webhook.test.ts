import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { call } from "../../support/worker-client.ts";

const TOKEN = "the channel's token";
const NOTIFICATIONS = 500;
const BURST_MS = 25_000;
const WINDOW_MS = 10_000;
/** 10 notifications from each: the rate window of one address passes 20. */
const ADDRESSES = 50;
const TIMEOUT_MS = 300_000;

beforeAll(async () => {
  const hash = await sha256Hex(TOKEN);
  for (const id of ["sync", "wrong", "drive", "goog", "expired", "busy"]) {
    await env.DB.prepare(
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         channel_id, channel_token_hash, created_at)
       values (?1, ?1, ?1, 'cloud_drive', '{}', '', 'channel-' || ?1, ?2, 0)`,
    )
      .bind(id, hash)
      .run();
  }
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function notify(prefix: string, id: string, token: string, state: string, from?: string) {
  const { status, body } = await call("POST", "/api/webhooks/drive", {
    headers: {
      [`X-${prefix}-Channel-ID`]: `channel-${id}`,
      [`X-${prefix}-Channel-Token`]: token,
      [`X-${prefix}-Resource-State`]: state,
      ...(from === undefined ? {} : { "CF-Connecting-IP": from }),
    },
  });
  expect({ status, body }).toEqual({ status: 200, body: { ok: true } });
}

const debounceOf = (id: string) => env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(id));

/** When the scan is queued, ms; null when none is to be. */
const dueTime = (id: string) =>
  runInDurableObject(debounceOf(id), async (_, { storage }) => await storage.getAlarm());

const scanIsDue = async (id: string) => (await dueTime(id)) !== null;

test("a change of a known channel brings a scan, under the provider's names too", async () => {
  await notify("Drive", "drive", TOKEN, "change");
  expect(await scanIsDue("drive")).toBe(true);
  await notify("Goog", "goog", TOKEN, "update");
  expect(await scanIsDue("goog")).toBe(true);
});

test("what opens the channel, and what has a wrong token, changes nothing", async () => {
  await notify("Drive", "sync", TOKEN, "sync");
  expect(await scanIsDue("sync")).toBe(false);
  await notify("Drive", "wrong", `${TOKEN}!`, "change");
  expect(await scanIsDue("wrong")).toBe(false);
});

test("a channel that nobody knows, or that has expired, changes nothing", async () => {
  await notify("Goog", "nobody's", TOKEN, "change");
  expect(await scanIsDue("nobody's")).toBe(false);
  await env.DB.prepare("update file_sources set channel_expires_at = ? where id = 'expired'")
    .bind(Date.now() - 1)
    .run();
  await notify("Goog", "expired", TOKEN, "change");
  expect(await scanIsDue("expired")).toBe(false);
});

test(
  "500 notifications in 25 seconds from many addresses make 3 scans",
  async () => {
    const start = Date.now();
    let now = start;
    const scans: unknown[] = [];
    const send = async (message: unknown) => void scans.push(message);
    await runInDurableObject(debounceOf("busy"), (object) => {
      Object.defineProperty(object, "env", { value: { ...env, SCAN_QUEUE: { send } } });
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
      await notify(at % 2 === 0 ? "Goog" : "Drive", "busy", TOKEN, "change", address);
    }
    expect(scans).toHaveLength(2);
    now += WINDOW_MS;
    await closeWhatIsDue();
    const scan = { kind: "scan", fileSourceId: "busy", confirmRemovals: false, urls: null };
    expect(scans).toEqual([scan, scan, scan]);
    expect(await scanIsDue("busy")).toBe(false);
  },
  TIMEOUT_MS,
);
