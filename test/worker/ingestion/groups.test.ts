import { expect, test } from "vitest";

import { requestScan } from "../../../src/catalog/file-sources/request-scan.ts";
import { SourceFailure } from "../../../src/ports/source-reader.ts";
import { FollowedSource } from "../../doubles/source/followed-source.ts";
import { World, statement } from "../../support/ingestion-world.ts";

const DAY_MINUTES = 24 * 60;

class SharedSource extends FollowedSource {
  readonly members = new Map<string, string[] | SourceFailure>();
  asked: string[] = [];
  readers: string[] = [];

  override async list(cursor: string | null, signal: AbortSignal) {
    const page = await super.list(cursor, signal);
    const principals = this.readers.map((principal) => ({ principal, from: "file" }));
    for (const file of page.files) file.readers = { principals };
    return page;
  }

  async membersOf(group: string) {
    this.asked.push(group);
    const members = this.members.get(group) ?? [];
    if (members instanceof SourceFailure) throw members;
    return await Promise.resolve(members);
  }
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
  const reader = new SharedSource({ "a.txt": "A note." });
  const world = new World({ sourceReaders: async () => reader });
  const { source } = await world.addSourceAndRag("cloud_drive");
  await statement("update file_sources set permissions = 'on' where id = ?", source).run();
  const scan = async () => {
    await requestScan(world.services, { sourceId: source, confirmRemovals: false, urls: null });
    await world.deliver();
  };
  reader.readers = ["group:hr@example.com", "group:hidden", "user:ann@example.com"];
  reader.members.set("hr@example.com", ["Ann@example.com", "bob@example.com"]);
  reader.members.set("hidden", new SourceFailure("denied", "it may not be read"));
  await scan();
  await world.sweepAfter(1);
  const both = ["user:ann@example.com", "user:bob@example.com"];
  expect(await inGroups(source)).toEqual(both.map((user) => `${user} group:hr@example.com`));
  const unknown = statement("select name, unknown from synced_groups where unknown is not null");
  expect((await unknown.all()).results).toEqual([
    { name: "group:hidden", unknown: "it may not be read" },
  ]);
  reader.members.set("hr@example.com", ["bob@example.com", "eve@example.com"]);
  reader.asked = [];
  await world.sweepAfter(1, 60);
  expect(reader.asked).toEqual([]);
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
