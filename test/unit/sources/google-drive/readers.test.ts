import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";

import type { Item } from "../../../doubles/google-drive/answers.ts";
import { EVERYBODY } from "../../../doubles/google-drive/directory-double.ts";
import { GoogleDriveDouble } from "../../../doubles/google-drive/google-drive-double.ts";
import type { Grant } from "../../../doubles/google-drive/grant.ts";
import { mayRead } from "../../../doubles/google-drive/permissions.ts";
import { applyStep } from "../../../doubles/google-drive/random-changes.ts";
import { driveSource } from "../../../doubles/google-drive/scanning.ts";
import { numRuns } from "../../../doubles/source/random-schedules.ts";
import { fileOf } from "../../../doubles/source/simulated-scans.ts";
import { principalsIn } from "../../../support/principals-in.ts";
import { SEED } from "../../../support/seed.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.now();

const first = GoogleDriveDouble.open();

async function drive() {
  const double = new GoogleDriveDouble();
  double.account.sameAs((await first).account);
  return double;
}

/** A folder shared with a group, in it a file, in both kinds of drives. */
async function shared(isShared: boolean) {
  const double = await drive();
  const root = isShared ? double.sharedDrive("Sales") : double.root;
  const folder = double.folder(root, "Offers");
  const file = double.file(folder, "a.txt", "text");
  const settings = isShared ? { sharedDriveId: root } : {};
  const source = driveSource(double, settings, true);
  source.setTime(START_MS);
  const readers = () => fileOf(source, file).readers;
  return { double, root, folder, file, source, readers };
}

test.each([false, true])("permissions become principals (shared drive: %s)", async (isShared) => {
  const { double, root, folder, file, source, readers } = await shared(isShared);
  const past = new Date(START_MS - HOUR_MS).toISOString();
  double.change(root, { grants: [{ type: "domain", to: "Example.com" }] });
  double.change(folder, { grants: [{ type: "group", to: "Sales@example.com" }] });
  const grants: Grant[] = [
    { type: "user", to: "Ann@example.com", role: "writer" },
    { type: "user", to: "gone@example.com", deleted: true },
    { type: "user", to: "late@example.com", expirationTime: past },
    { type: "user", to: "name-only@example.com", view: "metadata" },
    { type: "anyone" },
  ];
  double.change(file, { grants });
  await source.scan();
  expect(readers()).toEqual({
    principals: [
      { principal: "user:ann@example.com", from: "file" },
      { principal: "everyone", from: "file" },
      { principal: "group:sales@example.com", from: "folder Offers" },
      { principal: "domain:example.com", from: isShared ? "drive" : "folder Handbook" },
    ],
  });
});

test.each([false, true])(
  "a share lets nobody in after its end (shared drive: %s)",
  async (isShared) => {
    const { double, folder, file, source, readers } = await shared(isShared);
    const end = new Date(START_MS + HOUR_MS).toISOString();
    double.change(folder, {
      grants: [{ type: "user", to: "ann@example.com", expirationTime: end }],
    });
    double.change(file, { grants: [{ type: "user", to: "bob@example.com", expirationTime: end }] });
    await source.scan();
    expect(principalsIn(readers())).toEqual(["user:ann@example.com", "user:bob@example.com"]);
    source.setTime(START_MS + HOUR_MS);
    await source.scan();
    expect(principalsIn(readers())).toEqual([]);
  },
);

test("a shared drive costs a call for each item with permissions of its own", async () => {
  const { double, root, folder, file, source, readers } = await shared(true);
  const people = Array.from({ length: 250 }, (_, at) => `p${at}@example.com`);
  double.change(root, { grants: people.map((to) => ({ type: "user", to })) });
  for (let at = 0; at < 50; at++) double.file(folder, `f${at}.txt`, "text");
  await source.scan();
  const calls = () => double.requests.filter((each) => each.includes("/permissions")).length;
  expect(principalsIn(readers())).toHaveLength(250);
  expect(calls()).toBe(3);
  double.change(folder, { limited: true, grants: [{ type: "user", to: "ann@example.com" }] });
  await source.scan();
  expect(principalsIn(readers())).toEqual(["user:ann@example.com"]);
  double.delete(file);
  await source.scan();
});

test.each([false, true])(
  "without the right to share nobody reads (shared: %s)",
  async (isShared) => {
    const { double, file, source, readers } = await shared(isShared);
    double.change(file, { grants: [{ type: "anyone" }] });
    double.permissions.isTold = false;
    await source.scan();
    const role = isShared ? "content manager" : "editor";
    expect(readers()).toEqual({ unreadable: expect.stringContaining(role) });
    double.permissions.isTold = true;
    await source.scan();
    expect(principalsIn(readers())).toEqual(["everyone"]);
  },
);

test("a shortcut is read by those who may read what it leads to", async () => {
  const { double, folder, source } = await shared(false);
  const target = double.file(double.folder(null, "Elsewhere"), "t.txt", "text");
  const shortcut = double.shortcut(folder, "t", target);
  double.change(folder, { grants: [{ type: "anyone" }] });
  const grants: Grant[] = [{ type: "user", to: "ann@example.com" }];
  double.change(target, { grants });
  await source.scan();
  expect(principalsIn(fileOf(source, shortcut).readers)).toEqual(["user:ann@example.com"]);
  double.change(target, { grants: [] });
  await source.scan();
  expect(principalsIn(fileOf(source, shortcut).readers)).toEqual([]);
});

test("permissions that are throttled are asked for again, not taken for none", async () => {
  const { double, file, source, readers } = await shared(true);
  double.change(file, { grants: [{ type: "anyone" }] });
  await source.scan();
  double.change(file, { grants: [] });
  double.fail({ path: /permissions/, status: 403, reason: "userRateLimitExceeded" });
  await expect(source.scan()).rejects.toMatchObject({ kind: "throttled" });
  await source.scan();
  expect(principalsIn(readers())).toEqual([]);
});

const KINDS =
  "file folder rename move move share share share unshare unshare limit tick tick bin restore scan scan crash fail hide expire".split(
    " ",
  );
const TO: Grant[] = [
  { type: "user", to: "ann@example.com" },
  { type: "user", to: "bob@example.com" },
  { type: "group", to: "staff@example.com" },
  { type: "domain", to: "example.com" },
  { type: "anyone" },
];
const step = record({
  kind: constantFrom(...KINDS),
  pick: nat({ max: 50 }),
  variant: nat({ max: 50 }),
});

test("members are read with those of nested groups, and everybody as a domain", async () => {
  const { double, source } = await shared(false);
  const people = Array.from({ length: 250 }, (_, at) => `p${at}@example.com`);
  double.directory.groups.set("all@example.com", ["hr@example.com", "left@example.com", EVERYBODY]);
  double.directory.groups.set("hr@example.com", [...people, "all@example.com"]);
  const members = async (group: string) =>
    await source.reader().membersOf(group, new AbortController().signal);
  expect((await members("all@example.com")).sort()).toEqual([
    "domain:example.com",
    ...people.map((person) => `user:${person}`).sort(),
  ]);
  await expect(members("gone@example.com")).rejects.toMatchObject({ kind: "denied" });
  double.directory.mayRead = false;
  const message = expect.stringContaining("Groups Reader");
  await expect(members("hr@example.com")).rejects.toMatchObject({ kind: "denied", message });
});

type Shared = { double: GoogleDriveDouble; item: Item; to: Grant; variant: number; now: number };

const SHARE: Record<string, (sharing: Shared) => void> = {
  limit: ({ double, item, variant }) => double.change(item.id, { limited: variant % 2 === 0 }),
  unshare: ({ double, item }) => double.change(item.id, { grants: item.grants.slice(1) }),
  share({ double, item, to, variant, now }) {
    const end = { expirationTime: new Date(now + HOUR_MS * (variant % 4)).toISOString() };
    const isTimed = variant % 2 === 0 && (to.type === "user" || to.type === "group");
    double.change(item.id, { grants: [...item.grants, isTimed ? { ...to, ...end } : to] });
  },
};

test("whatever is shared, moved or lost, a scan leaves those who may read", async () => {
  await assert(
    asyncProperty(
      array(step, { minLength: 5, maxLength: 30, size: "max" }),
      boolean(),
      async (steps, isShared) => {
        const { double, root, source } = await shared(isShared);
        const deep = double.folder(double.folder(root, "Top"), "Deep");
        for (const parent of [root, deep, deep]) double.file(parent, "n.txt", "text");
        double.pageSize = 3;
        let now = START_MS;
        await source.scan();
        /** Hidden readers let nobody in, and may be missed when they are shown again. */
        let wasHidden = false;
        const agree = () => {
          for (const [id, { readers }] of source.files) {
            const item = double.items.get(id);
            if (item === undefined) throw new Error("a file that is not there");
            const [actual, may] = [principalsIn(readers), mayRead(double.permissions, item, now)];
            if (!wasHidden) expect(actual).toEqual(may);
            else if (Array.isArray(actual)) expect(may).toEqual(expect.arrayContaining(actual));
          }
        };
        const deeds: Record<string, (pick: number, variant: number) => unknown> = {
          async scan() {
            await source.scan();
            agree();
          },
          crash: async (pick) => await source.scan(1 + (pick % 4)),
          async fail(pick) {
            const path = pick % 2 === 0 ? /changes|files$/ : /permissions/;
            double.fail({ path, status: 403, reason: "userRateLimitExceeded" });
            await source.scan().catch(() => undefined);
            double.failures.length = 0;
          },
          hide(pick, variant) {
            if (pick % 3 > 0) return;
            double.permissions.isTold = variant % 2 === 0;
            wasHidden ||= variant % 2 > 0;
          },
          tick: (_pick, variant) => source.setTime((now += HOUR_MS * (1 + (variant % 3)))),
          expire: () => double.expireCursors(),
        };
        for (const { kind, pick, variant } of steps) {
          const items = [...double.items.values()];
          const item = items[pick % items.length];
          const to = TO[variant % TO.length];
          if (item === undefined || to === undefined) continue;
          const deed = deeds[kind];
          if (deed !== undefined) await deed(pick, variant);
          else if (SHARE[kind] !== undefined) SHARE[kind]({ double, item, to, variant, now });
          else applyStep(double, { kind, pick, variant });
        }
        await source.scan();
        agree();
      },
    ),
    { numRuns, seed: SEED },
  );
});
