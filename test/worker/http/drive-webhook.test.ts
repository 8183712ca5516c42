import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { sha256Hex } from "../../../src/core/hash.ts";
import { call } from "../../support/worker-client.ts";

const TOKEN = "the channel's token";

beforeAll(async () => {
  const hash = await sha256Hex(TOKEN);
  for (const id of ["sync", "wrong", "drive", "goog"]) {
    await env.DB.prepare(
      `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash,
         channel_id, channel_token_hash, created_at)
       values (?1, ?1, ?1, 'cloud_drive', '{}', '', 'channel-' || ?1, ?2, 0)`,
    )
      .bind(id, hash)
      .run();
  }
});

async function notify(prefix: string, id: string, token: string, state: string) {
  const { status, body } = await call("POST", "/api/webhooks/drive", {
    headers: {
      [`X-${prefix}-Channel-ID`]: `channel-${id}`,
      [`X-${prefix}-Channel-Token`]: token,
      [`X-${prefix}-Resource-State`]: state,
    },
  });
  expect({ status, body }).toEqual({ status: 200, body: { ok: true } });
}

async function windowIsOpen(id: string): Promise<boolean> {
  const stub = env.DRIVE_DEBOUNCE.get(env.DRIVE_DEBOUNCE.idFromName(id));
  const alarm = await runInDurableObject(stub, async (_, { storage }) => await storage.getAlarm());
  return alarm !== null;
}

test("a change of a known channel opens a window, under the provider's names too", async () => {
  await notify("Drive", "drive", TOKEN, "change");
  expect(await windowIsOpen("drive")).toBe(true);
  await notify("Goog", "goog", TOKEN, "update");
  expect(await windowIsOpen("goog")).toBe(true);
});

test("what opens the channel, and what has a wrong token, changes nothing", async () => {
  await notify("Drive", "sync", TOKEN, "sync");
  expect(await windowIsOpen("sync")).toBe(false);
  await notify("Drive", "wrong", `${TOKEN}!`, "change");
  expect(await windowIsOpen("wrong")).toBe(false);
});
