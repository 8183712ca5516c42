import { afterAll, expect, test, vi } from "vitest";

import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

/** Two builds are waited for, and a busy machine takes its time. */
vi.setConfig({ testTimeout: 300_000 });

afterAll(queuesSettled, 60_000);

test("the panel shows an index, estimates a change, and returns to the previous one", async () => {
  const admin = await signedIn();
  await admin.send("POST", "/file-sources", { name: "Docs", provider: "file_system" });
  await admin.put("/file-sources/docs/files/a.md", "# Leave\n\nThirty days of leave a year.");
  await admin.put("/file-sources/docs/files/b.md", "# VPN\n\nThe tunnel needs a certificate.");
  await admin.send("POST", "/rags", { name: "Reversible", fileSource: "docs" });
  const rag = async () => (await admin.send("GET", "/rags/reversible")).body;
  const soon = { timeout: 40_000, interval: 100 };
  await vi.waitFor(async () => expect(await rag()).toMatchObject({ processedFiles: 2 }), soon);
  const state = async () => (await admin.send("GET", "/rags/reversible/index")).body;
  const live = { generation: 1, chunkSize: 400, shards: 1, embeddingModel: "embedded/hash" };
  expect(await state()).toMatchObject({ live, building: null, previous: null });
  expect(await admin.send("POST", "/rags/reversible/return", {})).toMatchObject({ status: 409 });
  const change = { chunkSize: 64, chunkOverlap: 0 };
  const told = await admin.send("POST", "/rags/reversible/estimate", change);
  expect(told).toMatchObject({ status: 200, body: { needed: true, files: 2, embeddingCalls: 1 } });
  const wrong = await admin.send("POST", "/rags/reversible/estimate", { chunkSize: 1 });
  expect(wrong.status).toBe(400);

  await admin.send("PATCH", "/rags/reversible", change);
  const answers = async (generation: number) =>
    await vi.waitFor(
      async () => expect(await state()).toMatchObject({ live: { generation }, building: null }),
      soon,
    );
  await answers(2);
  const keptUntil = expect.stringMatching(/^\d{4}-.*Z$/) as string;
  expect(await state()).toMatchObject({ previous: { ...live, keptUntil } });
  expect(await admin.send("POST", "/rags/reversible/return", {})).toMatchObject({ status: 202 });
  await answers(1);
  expect(await rag()).toMatchObject({ chunkSize: 400, processedFiles: 2, numberVectors: 2 });
});
