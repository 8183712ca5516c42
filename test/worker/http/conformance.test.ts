import { env, exports } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test } from "vitest";

import { clientOf } from "../../contract/client.ts";
import { callEveryOperation } from "../../contract/every-operation.ts";
import { RULES } from "../../contract/table.ts";
import { setUpWorld, type World } from "../../contract/world.ts";
import { ORIGIN } from "../../support/worker-client.ts";

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
});

afterAll(async () => {
  await world.tearDown();
  const { body } = await world.panel("GET", "/rags");
  expect(body).toMatchObject({ total: 0 });
});

test("a program made from the published specification calls every operation", async () => {
  const names = { rag: world.rag, scopedRag: world.scopedRag, inference: world.inference };
  const answers = await callEveryOperation(
    ORIGIN,
    world.token,
    { ...names, source: world.source, file: "guide/leave.md" },
    async (request) => await exports.default.fetch(request),
  );
  const statuses = Object.entries(answers).map(([name, { response }]) => [name, response.status]);
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  const { paths } = (world.client.published?.document ?? {}) as { paths: object };
  const operations = Object.values(paths).flatMap((methods: Record<string, object>) =>
    Object.values(methods).map((operation) => (operation as { operationId: string }).operationId),
  );
  expect(Object.keys(answers).toSorted()).toEqual(operations.toSorted());
  expect(answers.getFileStatus.data?.status).toBe("indexed");
});

for (const { section, rule, check } of RULES) {
  test(`${section}: ${rule}`, async () => {
    await check(world);
  });
}
