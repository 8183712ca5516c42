import { expect, test } from "vitest";

import { GoogleDriveDouble } from "../../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../../doubles/google-drive/scanning.ts";
import { fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

const REQUEST = { id: "channel", token: "a token", baseUrl: "https://quarry.example.com" };

/** A shared drive with a folder, and files elsewhere that are none of it. */
async function withSharedDrive() {
  const drive = await GoogleDriveDouble.open();
  const shared = drive.sharedDrive("Sales");
  const offers = drive.folder(shared, "Offers");
  const offer = drive.file(offers, "offer.txt", "the offer");
  drive.file(shared, "top.txt", "top");
  drive.file(drive.root, "own.txt", "own");
  drive.file(drive.sharedDrive("Legal"), "legal.txt", "legal");
  return { drive, shared, offers, offer };
}

test("a shared drive is listed, read and followed by its own change log", async () => {
  const { drive, shared, offers, offer } = await withSharedDrive();
  const source = driveSource(drive, { sharedDriveId: shared });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Offers/offer.txt", "top.txt"]);
  // Nobody owns what a shared drive holds.
  expect(fileOf(source, offer).metadata).not.toHaveProperty("owner");
  expect(await textOf(source, offer)).toBe("the offer");
  drive.file(offers, "new.txt", "new");
  drive.file(drive.root, "another.txt", "own");
  drive.change(offer, { parents: [drive.root] });
  expect(await source.scan()).toBe("follow");
  expect(source.paths()).toEqual(["Offers/new.txt", "top.txt"]);
  drive.change(offers, { name: "Contracts" });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Contracts/new.txt", "top.txt"]);
  drive.file(offers, "late.txt", "late");
  drive.expireCursors();
  expect(await source.scan()).toBe("full");
  expect(await source.scan()).toBe("follow");
});

test("a folder of a shared drive, and a shortcut into one", async () => {
  const { drive, offers, offer } = await withSharedDrive();
  const folder = driveSource(drive, { rootFolderId: offers });
  await folder.scan();
  expect(folder.paths()).toEqual(["offer.txt"]);
  drive.change(offer, { content: "a better offer" });
  expect(await folder.scan()).toBe("follow");
  expect(folder.files.get(offer)?.size).toBe(14);
  drive.shortcut(drive.root, "Our offer", offer);
  const own = driveSource(drive);
  await own.scan();
  expect(own.paths()).toEqual(["Our offer", "own.txt"]);
});

test("a shared drive is watched by itself", async () => {
  const { drive, shared, offer } = await withSharedDrive();
  const { watcher } = driveSource(drive, { sharedDriveId: shared }).reader();
  await watcher.start("changes", REQUEST, FOREVER);
  const states = () => drive.network.waiting.map(({ headers }) => headers["X-Goog-Resource-State"]);
  drive.file(drive.root, "another.txt", "own");
  expect(states()).toEqual(["sync"]);
  drive.change(offer, { content: "changed" });
  expect(states()).toEqual(["sync", "change"]);
});

test("a shared drive without membership is told, and nothing is removed", async () => {
  const { drive, shared } = await withSharedDrive();
  const source = driveSource(drive, { sharedDriveId: shared });
  expect(await source.reader().check(FOREVER)).toBe(
    `Google Drive: ${drive.account.email} sees the shared drive "Sales"`,
  );
  await source.scan();
  drive.sharedDrives.setMember(shared, false);
  await expect(source.scan()).rejects.toMatchObject({
    kind: "denied",
    message: `Google Drive: ${drive.account.email} sees no shared drive ${shared}: add it as a viewer of the drive`,
  });
  expect(source.paths()).toHaveLength(2);
  drive.sharedDrives.setMember(shared, true);
  await source.scan();
  expect(source.paths()).toHaveLength(2);
});
