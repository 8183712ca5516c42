import { expect, test } from "vitest";

import { GraphDouble } from "../../../doubles/microsoft-graph/graph-double.ts";
import { graphSource } from "../../../doubles/microsoft-graph/scanning.ts";
import { FOREVER } from "../../../doubles/source/simulated-scans.ts";

const DAY_MS = 86_400_000;
const REQUEST = { id: "ignored", token: "a random token", baseUrl: "https://quarry.example.com" };

function watchedSite() {
  const graph = new GraphDouble();
  const site = graph.site("hr");
  const archive = graph.library(site, "Archive");
  const { watcher } = graphSource(graph, { siteId: site.id }).reader();
  return { graph, site, archive, watcher };
}

test("every library is watched for 29 days, calls back, is extended and stopped", async () => {
  const { graph, site, archive, watcher } = watchedSite();
  expect(await watcher.targets(FOREVER)).toEqual([site.library.id, archive.id]);
  const before = Date.now();
  const watch = await watcher.start(archive.id, REQUEST, FOREVER);
  expect(watch.expiresAt - before).toBeGreaterThan(29 * DAY_MS);
  const address = "https://quarry.example.com/api/webhooks/graph";
  expect(graph.subscriptions.live()).toMatchObject([
    { id: watch.id, notificationUrl: address, lifecycleNotificationUrl: address },
  ]);
  site.library.file(site.library.root, "not watched.txt", "x");
  archive.file(archive.root, "a.txt", "a");
  expect(graph.network.waiting).toMatchObject([{ address }]);
  expect(JSON.parse(graph.network.waiting[0]?.body ?? "")).toMatchObject({
    value: [{ subscriptionId: watch.id, clientState: "a random token", changeType: "updated" }],
  });
  const now = before + 20 * DAY_MS;
  graph.now = graph.entra.now = () => now;
  const source = graphSource(graph, { siteId: site.id });
  source.setTime(now);
  const extended = await source.reader().watcher.extend?.(watch, FOREVER);
  expect((extended?.expiresAt ?? 0) - watch.expiresAt).toBeGreaterThan(19 * DAY_MS);
  await watcher.stop(watch, FOREVER);
  expect(graph.subscriptions.live()).toEqual([]);
  // A subscription that Graph no longer knows counts as stopped, and cannot be extended.
  await watcher.stop(watch, FOREVER);
  expect(await watcher.extend?.(watch, FOREVER)).toBeNull();
});

test("one library or drive is one watch", async () => {
  const { graph, site, archive } = watchedSite();
  const targetsOf = async (settings: Parameters<typeof graphSource>[1]) =>
    await graphSource(graph, settings).reader().watcher.targets(FOREVER);
  expect(await targetsOf({ siteId: site.id, library: "Archive" })).toEqual([archive.id]);
  expect(await targetsOf({ driveId: archive.id })).toEqual([archive.id]);
});

test("refusals of a subscription are told as what they are", async () => {
  const { graph, archive, watcher } = watchedSite();
  graph.subscriptions.reach = async () => new Response("<html>", { status: 404 });
  await expect(watcher.start(archive.id, REQUEST, FOREVER)).rejects.toMatchObject({
    kind: "denied",
    message:
      "SharePoint: 400 ValidationError: Microsoft does not notify https://quarry.example.com",
  });
  graph.mayBeNotified = false;
  await expect(watcher.start(archive.id, REQUEST, FOREVER)).rejects.toMatchObject({
    kind: "denied",
    message: "SharePoint: 403 accessDenied: the app's permission is not enough for notifications",
  });
  graph.fail({ path: /subscriptions/, status: 429, headers: { "retry-after": "9" } });
  await expect(watcher.start(archive.id, REQUEST, FOREVER)).rejects.toMatchObject({
    kind: "throttled",
    retryAfterMs: 9_000,
  });
});
