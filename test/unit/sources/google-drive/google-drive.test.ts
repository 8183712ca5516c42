import { expect, test } from "vitest";

import { GoogleDriveDouble } from "../../../doubles/google-drive/google-drive-double.ts";
import { driveSource, openDrive } from "../../../doubles/google-drive/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

const DOC = "application/vnd.google-apps.document";
const SHEET = "application/vnd.google-apps.spreadsheet";
const FORM = "application/vnd.google-apps.form";

test("lists what lies beneath the root, with folders, type, owner and address", async () => {
  const { drive, source } = await openDrive();
  const legal = drive.folder(drive.root, "Legal/EU");
  const contract = drive.file(legal, "Contract.txt", "signed");
  const plan = drive.file(legal, "Plan", "# Plan", DOC);
  drive.file(legal, "Survey", "", FORM);
  drive.file(drive.folder(null, "Elsewhere"), "other.txt", "not ours");
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Legal_EU/Contract.txt", "Legal_EU/Plan"]);
  expect(fileOf(source, contract)).toMatchObject({
    externalId: contract,
    url: `https://drive.google.com/file/d/${contract}/view`,
    size: 6,
    modifiedAt: Date.parse(drive.items.get(contract)?.modifiedTime ?? ""),
    metadata: {
      owner: ["ann@example.com"],
      mimeType: "text/plain",
      ancestors: [drive.root, legal],
    },
  });
  expect(fileOf(source, plan)).toMatchObject({ mimeType: "text/markdown" });
  expect(await textOf(source, contract)).toBe("signed");
  expect(await textOf(source, plan)).toBe("# Plan");
});

test("the bin, withdrawn shares and what leaves the root are deletions", async () => {
  const { drive, source } = await openDrive();
  const outside = drive.folder(null, "Outside");
  const inside = drive.folder(drive.root, "In");
  const [binned = "", unshared = "", movedOut = ""] = ["1", "2", "3"].map((name) =>
    drive.file(drive.root, `${name}.txt`, name),
  );
  drive.file(outside, "b.txt", "b");
  await source.scan();
  drive.change(binned, { trashed: true });
  drive.change(unshared, { shared: false });
  drive.change(movedOut, { parents: [outside] });
  expect(await source.scan()).toBe("follow");
  expect(source.paths()).toEqual([]);
  drive.change(outside, { parents: [inside] });
  await source.scan();
  expect(source.paths()).toEqual(["In/Outside/3.txt", "In/Outside/b.txt"]);
  drive.change(inside, { trashed: true });
  await source.scan();
  expect(source.paths()).toEqual([]);
});

test("a shortcut is read as the file that it leads to, and no further", async () => {
  const { drive, source } = await openDrive();
  const elsewhere = drive.folder(null, "Elsewhere");
  const target = drive.file(elsewhere, "rules.txt", "the rules");
  const shortcut = drive.shortcut(drive.root, "Rules", target);
  drive.shortcut(drive.root, "A folder", elsewhere);
  drive.shortcut(drive.root, "Twice", drive.shortcut(elsewhere, "Once", target));
  await source.scan();
  expect(source.paths()).toEqual(["Rules"]);
  expect(await textOf(source, shortcut)).toBe("the rules");
  // The feed tells of the file that it leads to, and of nothing beneath the root.
  const { version } = fileOf(source, shortcut);
  drive.change(target, { content: "new rules" });
  await source.scan();
  expect(fileOf(source, shortcut).version).not.toBe(version);
  drive.delete(target);
  await source.scan();
  expect(source.paths()).toEqual([]);
});

test("what cannot be read is named with its reason, by a listing and by the feed", async () => {
  const { drive, source } = await openDrive();
  const elsewhere = drive.folder(null, "Elsewhere");
  const rules = drive.file(elsewhere, "rules.txt", "the rules");
  const inside = drive.folder(drive.root, "In");
  drive.file(inside, "Survey", "", FORM);
  drive.shortcut(drive.root, "To a folder", elsewhere);
  drive.shortcut(drive.root, "To a shortcut", drive.shortcut(elsewhere, "Once", rules));
  const binned = drive.file(elsewhere, "binned.txt", "x");
  drive.shortcut(drive.root, "To the bin", binned);
  drive.change(binned, { trashed: true });
  drive.file(drive.root, "a.txt", "a");
  const folders = await source.reader().list(null, FOREVER);
  const page = await source.reader().list(folders.next, FOREVER);
  expect(page.files.map(({ path }) => path)).toEqual(["a.txt"]);
  const reasons = Object.fromEntries(
    (page.problems ?? []).map((problem) => [problem.path, problem.message]),
  );
  expect(reasons).toEqual({
    "In/Survey": `Google Drive cannot export files of type ${FORM}`,
    "To a folder": "shortcuts to folders are not followed",
    "To a shortcut": "shortcuts to shortcuts are not followed",
    "To the bin":
      "the shortcut leads to a file that was deleted or is not shared with this account",
  });
  expect(page.skipped).toBe(4);
  await source.scan();
  drive.file(inside, "Map", "", FORM);
  const changes = await source.reader().follow(page.changeCursor ?? "", null, FOREVER);
  expect(changes?.problems).toMatchObject([{ path: "In/Map" }]);
});

test("a shortcut whose file Google throttles, with 403, is not taken for gone", async () => {
  const { drive, source } = await openDrive();
  const elsewhere = drive.folder(null, "Elsewhere");
  const rules = drive.file(elsewhere, "rules.txt", "the rules");
  drive.shortcut(drive.root, "Rules", rules);
  await source.scan();
  const path = new RegExp(`files/${rules}`);
  drive.fail({ path, status: 403, reason: "userRateLimitExceeded", times: 20 });
  const folders = await source.reader().list(null, FOREVER);
  await expect(source.reader().list(folders.next, FOREVER)).rejects.toMatchObject({
    kind: "throttled",
  });
});

test.each([
  ["userRateLimitExceeded", 403],
  ["rateLimitExceeded", 429],
  ["RATE_LIMIT_EXCEEDED", 403],
])("%s slows a scan with Drive's own wait", async (reason, status) => {
  const drive = await GoogleDriveDouble.open();
  drive.fail({ path: /changes/, status, reason, headers: { "retry-after": "7" } });
  const failure = await failureOf(driveSource(drive).scan());
  expect(failure).toMatchObject({ kind: "throttled", retryAfterMs: 7_000 });
});

test("what cannot be exported or downloaded is the file's own error", async () => {
  const { drive, source } = await openDrive();
  const large = drive.file(drive.root, "Large", "x".repeat(11 * 1_024 * 1_024), SHEET);
  const protectedFile = drive.file(drive.root, "kept.pdf", "%PDF", "application/pdf");
  const file = drive.file(drive.root, "lost.txt", "lost");
  drive.change(protectedFile, { downloadable: false });
  await source.scan();
  const open = async (id: string) =>
    await failureOf(source.reader().open(fileOf(source, id), FOREVER));
  expect(await open(large)).toMatchObject({
    kind: "bad-file",
    message: "Google Drive: Google exports documents of at most 10 MB",
  });
  expect(await open(protectedFile)).toMatchObject({
    kind: "bad-file",
    message: "Google Drive: its owner does not allow downloads",
  });
  // Its quota passes: it is tried again after later scans.
  drive.fail({ path: /files/, status: 403, reason: "downloadQuotaExceeded" });
  expect(await open(file)).toMatchObject({
    kind: "denied",
    message: expect.stringContaining("within a day") as unknown,
  });
  drive.delete(file);
  expect(await open(file)).toMatchObject({ kind: "down" });
});

test("a check is one call that names what is seen, or says what to share", async () => {
  const { drive, source } = await openDrive();
  drive.file(drive.root, "a.txt", "a");
  expect(await source.reader().check(FOREVER)).toBe(
    `Google Drive: ${drive.account.email} sees the folder "Handbook"`,
  );
  expect(drive.requests.filter((request) => !request.includes("/token"))).toHaveLength(1);
  drive.change(drive.root, { shared: false });
  expect(await failureOf(source.reader().check(FOREVER))).toMatchObject({
    message: `Google Drive: ${drive.account.email} sees no folder ${drive.root}: share the folder with that address`,
  });
});

test("refusals say what to do and hold nothing of the key", async () => {
  const { drive, source } = await openDrive();
  const unseen = await failureOf(driveSource(drive, { rootFolderId: "1none" }).scan());
  expect(unseen).toMatchObject({
    kind: "denied",
    message: `Google Drive: ${drive.account.email} sees no folder 1none: share the folder with that address`,
  });
  const delegated = await failureOf(driveSource(drive, { subject: "ann@example.com" }).scan());
  expect(delegated).toMatchObject({ kind: "denied" });
  expect(String(delegated)).toContain("may not act for ann@example.com");
  const old = drive.account.keyFile();
  await drive.account.makeKey();
  const current = drive.account.privateKey;
  drive.account.privateKey = old.private_key;
  const revoked = await failureOf(source.scan());
  expect(revoked).toMatchObject({ kind: "denied" });
  expect(String(revoked)).toContain(`the key of ${drive.account.email} is refused`);
  drive.account.privateKey = "-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----";
  const broken = await failureOf(driveSource(drive).scan());
  expect(broken).toMatchObject({ kind: "denied" });
  for (const failure of [revoked, broken]) {
    expect(String(failure)).not.toMatch(/BEGIN|bm90|assertion/);
  }
  drive.account.privateKey = current;
  expect(await driveSource(drive).scan()).toBe("full");
});

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

test("a root that moves to a shared drive is followed there", async () => {
  const { drive, shared } = await withSharedDrive();
  const source = driveSource(drive);
  await source.scan();
  drive.change(drive.root, { parents: [shared] });
  expect(await source.scan()).toBe("full");
  drive.file(drive.root, "late.txt", "late");
  await source.scan();
  expect(source.paths()).toEqual(["late.txt", "own.txt"]);
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
  const { drive, shared, offers } = await withSharedDrive();
  const source = driveSource(drive, { sharedDriveId: shared });
  expect(await source.reader().check(FOREVER)).toBe(
    `Google Drive: ${drive.account.email} sees the shared drive "Sales"`,
  );
  await source.scan();
  drive.sharedDrives.setMember(shared, false);
  const denial = {
    kind: "denied",
    message: `Google Drive: ${drive.account.email} sees no shared drive ${shared}: add it as a viewer of the drive`,
  };
  await expect(source.scan()).rejects.toMatchObject(denial);
  drive.sharedDrives.sharedFolder = offers;
  const folder = driveSource(drive, { rootFolderId: offers }).reader();
  await expect(folder.check(FOREVER)).rejects.toMatchObject(denial);
  expect(source.paths()).toHaveLength(2);
  drive.sharedDrives.setMember(shared, true);
  await source.scan();
  expect(source.paths()).toHaveLength(2);
});
