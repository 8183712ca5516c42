import { expect, test } from "vitest";

import type { SourceWatcher, Watch } from "../../../../src/ports/source-watcher.ts";
import { GoogleDriveDouble } from "../../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../../doubles/google-drive/scanning.ts";
import { FOREVER } from "../../../doubles/source/simulated-scans.ts";

const DAY_MS = 86_400_000;
const request = (id: string, baseUrl = "https://quarry.example.com") => ({
  id,
  token: "a random token",
  baseUrl,
});

async function watchedDrive() {
  const drive = await GoogleDriveDouble.open();
  const source = driveSource(drive);
  return { drive, watcher: source.reader().watcher };
}

const start = async (watcher: SourceWatcher, id: string): Promise<Watch> =>
  await watcher.start("changes", request(id), FOREVER);

test("a drive is watched for a week, calls back at every change, and is stopped", async () => {
  const { drive, watcher } = await watchedDrive();
  expect(await watcher.targets(FOREVER)).toEqual(["changes"]);
  const before = Date.now();
  const watch = await start(watcher, "channel-1");
  expect(watch).toMatchObject({ id: "channel-1", resourceId: "res-0" });
  expect(watch.expiresAt - before).toBeGreaterThanOrEqual(7 * DAY_MS - 1_000);
  drive.file(drive.root, "a.txt", "a");
  expect(drive.network.waiting).toMatchObject([
    {
      address: "https://quarry.example.com/api/webhooks/drive",
      headers: { "X-Goog-Resource-State": "sync", "X-Goog-Channel-Token": "a random token" },
    },
    { headers: { "X-Goog-Resource-State": "change", "X-Goog-Channel-ID": "channel-1" } },
  ]);
  await watcher.stop(watch, FOREVER);
  expect(drive.channels.live()).toEqual([]);
  // A watch that Drive no longer knows counts as stopped.
  await watcher.stop(watch, FOREVER);
});

test("an address that Google does not call is told with the address", async () => {
  const { drive, watcher } = await watchedDrive();
  drive.channels.unauthorized.add("quarry.example.com");
  await expect(start(watcher, "channel-1")).rejects.toMatchObject({
    kind: "denied",
    message:
      "Google Drive: 401 push.webhookUrlUnauthorized: Google does not notify https://quarry.example.com",
  });
});

test("a folder that is no longer shared is told by the watch as by a scan", async () => {
  const { drive, watcher } = await watchedDrive();
  drive.change(drive.root, { shared: false });
  await expect(start(watcher, "channel-1")).rejects.toMatchObject({
    message: `Google Drive: ${drive.account.email} sees no folder ${drive.root}: share the folder with that address`,
  });
});
