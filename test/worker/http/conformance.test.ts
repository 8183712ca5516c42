import { env, exports } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { clientOf } from "../../contract/client.ts";
import { RULES } from "../../contract/table.ts";
import { setUpWorld, type World } from "../../contract/world.ts";
import { ORIGIN } from "../../support/worker-client.ts";

const SET_UP_WITHIN_MS = 60_000;
let world: World;

/** A model of a server that nobody runs here: what an outage of it looks like to the service. */
const ELSEWHERE = "local/nobody-there";

beforeAll(async () => {
  const client = clientOf(ORIGIN, async (request) => await exports.default.fetch(request), true);
  const set = async (sql: string, identifier: string) =>
    void (await env.DB.prepare(sql).bind(ELSEWHERE, identifier).run());
  world = await setUpWorld(
    client,
    { email: "admin@localhost", password: "quarry" },
    {
      failModel: async (name) =>
        await set("update inferences set model = ? where identifier = ?", name),
      failReranker: async (name) =>
        await set("update rags set reranker = ? where identifier = ?", name),
    },
  );
}, SET_UP_WITHIN_MS);

afterAll(async () => {
  await world.tearDown();
  const { body } = await world.panel("GET", "/rags");
  expect(body).toMatchObject({ total: 0 });
});

for (const { section, rule, check } of RULES) {
  test(`${section}: ${rule}`, async () => {
    await check(world);
  });
}
