import { expect, test } from "vitest";

import { resolveReaders } from "../../../src/access/readers.ts";
import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { updateFileSource } from "../../../src/catalog/file-sources/update-file-source.ts";
import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import { setReaders } from "../../../src/ingestion/uploads/pushed-files.ts";
import { SourceFailure } from "../../../src/ports/source-reader.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { FollowedSource } from "../../doubles/source/followed-source.ts";
import { World, statement } from "../../support/ingestion-world.ts";
import { requestOf } from "../../support/retrieval-requests.ts";

const HOUR_MS = 3_600_000;
const DAY_MINUTES = 24 * 60;

class SharedSource extends FollowedSource {
  readonly members = new Map<string, string[] | SourceFailure>();
  requests: string[] = [];
  readers: string[] = [];

  override async list(cursor: string | null, signal: AbortSignal) {
    const page = await super.list(cursor, signal);
    const principals = this.readers.map((principal) => ({ principal, from: "file" }));
    for (const file of page.files) file.readers = { principals };
    return page;
  }

  async membersOf(group: string) {
    this.requests.push(group);
    const members = this.members.get(group) ?? [];
    if (members instanceof SourceFailure) throw members;
    return await Promise.resolve(members);
  }
}

/** A drive with permissions, whose one file is shared with these readers. */
async function sharedDrive(readers: string[]) {
  const reader = new SharedSource({ "a.txt": "A note." });
  reader.readers = readers;
  const world = new World({ sourceReaders: async () => reader });
  const setup = await world.addSourceAndRag("cloud_drive");
  const turn = async (permissions: "off" | "on") =>
    await updateFileSource(world.services, {
      source: await findFileSource(world.services, { key: setup.source }),
      patch: { permissions },
    });
  await turn("on");
  return { reader, world, ...setup, turn };
}

const inGroups = async (source: string) =>
  (
    await statement(
      `select member || ' ' || in_group as row from principal_groups
       where file_source_id = ? order by 1`,
      source,
    ).all<{ row: string }>()
  ).results.map(({ row }) => row);

test("members are read when a scan meets a group, and then once a day", async () => {
  const shared = ["group:hr@example.com", "group:hidden", "user:ann@example.com"];
  const { reader, world, source } = await sharedDrive(shared);
  reader.members.set("hr@example.com", ["user:Ann@example.com", "user:bob@example.com"]);
  reader.members.set("hidden", new SourceFailure("denied", "it may not be read"));
  await world.deliver();
  await world.sweepAfter(1);
  const { results } = await statement("select access from file_sources where id = ?", source).all<{
    access: string;
  }>();
  const counts = { files: 1, nobody: 0, unreadable: 0, unknown: 1 };
  expect(results.map(({ access }) => JSON.parse(access) as unknown)).toEqual([counts]);
  const both = ["user:ann@example.com", "user:bob@example.com"];
  expect(await inGroups(source)).toEqual(both.map((user) => `${user} group:hr@example.com`));
  const unknown = statement("select name, unknown from synced_groups where unknown is not null");
  expect((await unknown.all()).results).toEqual([
    { name: "group:hidden", unknown: "it may not be read" },
  ]);
  reader.members.set("hr@example.com", ["user:bob@example.com", "user:eve@example.com"]);
  reader.requests = [];
  await world.sweepAfter(1, 60);
  expect(reader.requests).toEqual([]);
  await world.sweepAfter(DAY_MINUTES);
  const after = ["bob", "eve"].map((name) => `user:${name}@example.com group:hr@example.com`);
  expect(await inGroups(source)).toEqual(after);
  reader.members.set("hr@example.com", new SourceFailure("throttled", "later"));
  await world.sweepAfter(DAY_MINUTES);
  expect(await inGroups(source)).toEqual(after);
  reader.members.set("hr@example.com", new SourceFailure("denied", "no more"));
  await world.sweepAfter(30);
  expect(await inGroups(source)).toEqual([]);
});

test("a reader is in a group by its name, its domain or a group of its own", async () => {
  const { reader, world, rag } = await sharedDrive(["group:sharepoint/b!1/5"]);
  const members = ["user:ann@example.com", "domain:partner.example", "group:inner"];
  reader.members.set("sharepoint/b!1/5", members);
  await world.deliver();
  await world.sweepAfter(1);
  const record = await findRag(world.services, { key: rag });
  const finds = async (user: string, groups: string[] = []) => {
    const reading = { reader: user, groups, header: null, groupsHeader: null };
    const [readable = record] = await resolveReaders(world.services.db, reading, [record]);
    const { chunks } = await retrieve(world.services, requestOf([readable], { queries: ["note"] }));
    return chunks.length;
  };
  expect(await finds("ann@example.com")).toBe(1);
  expect(await finds("bob@partner.example")).toBe(1);
  expect(await finds("eve@example.com", ["inner"])).toBe(1);
  expect(await finds("eve@example.com")).toBe(0);
});

test("members who were read long ago do not count", async () => {
  const { reader, world, source, turn } = await sharedDrive(["group:hr"]);
  const hourOn = async (minutes: number) => {
    await world.sweepAfter(minutes);
    world.now += HOUR_MS - (world.now % HOUR_MS);
    await world.sweepAfter(0);
  };
  reader.members.set("hr", ["user:ann@example.com"]);
  await world.deliver();
  await world.sweepAfter(1);
  const expected = ["user:ann@example.com group:hr"];
  expect(await inGroups(source)).toEqual(expected);
  reader.members.set("hr", new SourceFailure("down", "no answer"));
  await hourOn(DAY_MINUTES);
  expect(await inGroups(source)).toEqual(expected);
  await hourOn(DAY_MINUTES);
  expect(await inGroups(source)).toEqual([]);
  const unknown = statement("select unknown from synced_groups where file_source_id = ?", source);
  expect((await unknown.all()).results).toEqual([
    { unknown: "its members could not be read for two days" },
  ]);
  reader.members.set("hr", ["user:bob@example.com"]);
  await world.sweepAfter(30);
  expect(await inGroups(source)).toEqual(["user:bob@example.com group:hr"]);
  await turn("off");
  await turn("on");
  expect(await inGroups(source)).toEqual([]);
});

test("audiences that no file has any more are deleted", async () => {
  const world = new World();
  const { source } = await world.addSourceAndRag();
  await world.put(source, "a.txt", "A note.");
  const share = async (reader: string) =>
    await setReaders(world.services, {
      source: (await findFileSource(world.services, { key: source })).source,
      path: "a.txt",
      readers: [`user:${reader}@once.example`],
    });
  await share("ann");
  await share("bob");
  world.now += HOUR_MS - (world.now % HOUR_MS);
  await world.sweepAfter(0);
  const remaining = statement(
    "select principal from audience_principals where principal glob '*@once.example'",
  );
  expect((await remaining.all()).results).toEqual([{ principal: "user:bob@once.example" }]);
  const audiences = statement("select readers from audiences where readers glob '*ann@once*'");
  expect((await audiences.all()).results).toEqual([]);
});
