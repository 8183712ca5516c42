import { drive as googleDrive } from "@googleapis/drive";
import { expect, onTestFinished, test } from "vitest";

import { BASE, GoogleDriveDouble } from "../doubles/google-drive/google-drive-double.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";

async function served(double: GoogleDriveDouble) {
  const server = await serveFetch(double.fetch, BASE);
  onTestFinished(() => server.stop());
  return googleDrive({
    version: "v3",
    rootUrl: `${server.address}/`,
    headers: { authorization: `Bearer ${double.account.issueToken()}` },
  });
}

test("Google's own client reads a shared drive of the double", async () => {
  const double = await GoogleDriveDouble.open();
  const driveId = double.sharedDrive("Sales");
  const file = double.file(driveId, "offer.txt", "the offer");
  double.file(double.root, "own.txt", "own");
  const client = await served(double);
  const { data: drive } = await client.drives.get({ driveId });
  expect(drive).toMatchObject({ id: driveId, name: "Sales" });
  const included = { driveId, supportsAllDrives: true, includeItemsFromAllDrives: true };
  const { data: start } = await client.changes.getStartPageToken({
    driveId,
    supportsAllDrives: true,
  });
  const q = "mimeType != 'application/vnd.google-apps.folder' and trashed = false";
  const { data: listing } = await client.files.list({ ...included, corpora: "drive", q });
  expect(listing.files).toMatchObject([{ id: file, driveId }]);
  const { data: own } = await client.files.list({ q });
  expect(own.files).toMatchObject([{ name: "own.txt" }]);
  const unaware = client.files.list({ driveId, corpora: "drive", q }, { retry: false });
  await expect(unaware).rejects.toMatchObject({ status: 400 });
  const unseen = client.files.get({ fileId: file }, { retry: false });
  await expect(unseen).rejects.toMatchObject({ status: 404 });
  double.change(file, { name: "renamed.txt" });
  double.file(double.root, "another.txt", "own");
  const pageToken = start.startPageToken ?? "";
  const { data: feed } = await client.changes.list({ ...included, pageToken });
  expect(feed.changes).toMatchObject([{ fileId: file, file: { name: "renamed.txt" } }]);
  await client.changes.watch({
    ...included,
    pageToken,
    requestBody: { id: "channel", type: "web_hook", address: "https://example.com/" },
  });
  double.file(double.root, "third.txt", "own");
  expect(double.network.waiting).toHaveLength(1);
});

test("Google's own client lists, exports, downloads and follows the double", async () => {
  const double = await GoogleDriveDouble.open();
  const file = double.file(double.root, "a.txt", "plain");
  const document = double.file(
    double.root,
    "Plan",
    "# Plan",
    "application/vnd.google-apps.document",
  );
  const client = await served(double);
  const { data: start } = await client.changes.getStartPageToken();
  double.pageSize = 1;
  const items: unknown[] = [];
  for (let pageToken: string | undefined; ;) {
    const { data } = await client.files.list({
      q: "mimeType != 'application/vnd.google-apps.folder' and trashed = false",
      fields: "nextPageToken,files(id,name,md5Checksum)",
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    items.push(...(data.files ?? []));
    pageToken = data.nextPageToken ?? undefined;
    if (pageToken === undefined) break;
  }
  expect(items).toMatchObject([
    { id: file, name: "a.txt" },
    { id: document, name: "Plan" },
  ]);
  const bytes = await client.files.get({ fileId: file, alt: "media" }, { responseType: "text" });
  expect(bytes.data).toBe("plain");
  const exported = await client.files.export(
    { fileId: document, mimeType: "text/markdown" },
    { responseType: "text" },
  );
  expect(exported.data).toBe("# Plan");
  double.change(file, { trashed: true });
  double.delete(document);
  double.pageSize = 1_000;
  const { data: feed } = await client.changes.list({ pageToken: start.startPageToken ?? "" });
  expect(feed.changes).toMatchObject([
    { fileId: file, removed: false },
    { fileId: document, removed: true },
  ]);
  const { data: channel } = await client.changes.watch({
    pageToken: start.startPageToken ?? "",
    requestBody: { id: "channel", type: "web_hook", address: "https://example.com/", token: "t" },
  });
  expect(channel).toMatchObject({ kind: "api#channel", id: "channel", token: "t" });
  double.file(double.root, "b.txt", "more");
  expect(double.network.waiting.map(({ headers }) => headers["X-Goog-Resource-State"])).toEqual([
    "sync",
    "change",
  ]);
  const { id = "", resourceId = "" } = channel;
  await client.channels.stop({ requestBody: { id, resourceId } });
  expect(double.channels.live()).toEqual([]);
  double.fail({ path: /files/, status: 403, reason: "userRateLimitExceeded", times: 10 });
  const refusal = client.files.list({}, { retry: false });
  await expect(refusal).rejects.toMatchObject({
    status: 403,
    response: { data: { error: { errors: [{ reason: "userRateLimitExceeded" }] } } },
  });
});

test("Google's own client reads the permissions of the double, 100 a page", async () => {
  const double = await GoogleDriveDouble.open();
  const driveId = double.sharedDrive("Sales");
  const people = Array.from({ length: 120 }, (_, at) => `p${at}@example.com`);
  double.change(driveId, { grants: people.map((to) => ({ type: "user", to })) });
  const file = double.file(driveId, "offer.txt", "the offer");
  const own = double.file(double.root, "own.txt", "own");
  double.change(own, { grants: [{ type: "domain", to: "example.com" }] });
  const client = await served(double);
  const fields =
    "nextPageToken,permissions(type,emailAddress,permissionDetails(inherited,inheritedFrom))";
  const options = { fileId: file, supportsAllDrives: true, fields };
  const { data: first } = await client.permissions.list({ ...options, pageSize: 500 });
  expect(first.permissions).toHaveLength(100);
  expect(first.permissions?.[0]).toEqual({
    type: "user",
    emailAddress: "p0@example.com",
    permissionDetails: [{ inherited: true, inheritedFrom: driveId }],
  });
  const pageToken = first.nextPageToken ?? "";
  const { data: last } = await client.permissions.list({ ...options, pageToken });
  expect([last.permissions?.length, last.nextPageToken]).toEqual([20, undefined]);
  const inline = "hasAugmentedPermissions,permissions(type,domain)";
  const { data: inDrive } = await client.files.get({ ...options, fields: inline });
  expect(inDrive).toEqual({ hasAugmentedPermissions: false });
  const { data: mine } = await client.files.get({ fileId: own, fields: inline });
  expect(mine).toEqual({ permissions: [{ type: "domain", domain: "example.com" }] });
  double.permissions.isTold = false;
  const refusal = client.permissions.list({ fileId: own }, { retry: false });
  await expect(refusal).rejects.toMatchObject({ status: 403 });
  const { data: untold } = await client.files.get({ fileId: own, fields: inline });
  expect(untold).toEqual({});
});
