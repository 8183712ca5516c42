import { array, assert, asyncProperty, nat, tuple } from "fast-check";
import { expect, test } from "vitest";

import { GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../doubles/google-drive/scanning.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphSource } from "../../doubles/microsoft-graph/scanning.ts";
import { numRuns } from "../../doubles/source/random-schedules.ts";
import { SEED } from "../../support/seed.ts";

const GROUPS = 5;
/** Each a group, and a member of it: a group, or a user. */
const pairs = array(tuple(nat(GROUPS - 1), nat(2 * GROUPS)), { maxLength: 20, size: "max" });
type Pairs = [group: number, member: number][];

const isUser = (member: number) => member >= GROUPS;
const addressOf = (member: number) => `${isUser(member) ? "user" : "group"}${member}@example.com`;
const membersOf = (group: number, all: Pairs) =>
  all.flatMap(([parent, member]) => (parent === group ? [addressOf(member)] : []));

/** By rounds, each of which steps one group further. */
function usersIn(group: number, all: Pairs): string[] {
  const inside = new Set([group]);
  for (let round = 0; round < GROUPS; round++)
    for (const [parent, member] of all) if (inside.has(parent)) inside.add(member);
  return [...inside].filter(isUser).map((user) => `user:${addressOf(user)}`);
}

const drive = await GoogleDriveDouble.open();
const graph = new GraphDouble();
const PROVIDERS = {
  google_drive: {
    source: driveSource(drive),
    tell: (group: string, members: string[]) => drive.directory.groups.set(group, members),
  },
  sharepoint: {
    source: graphSource(graph, { siteId: graph.site("hr").id }),
    tell: (group: string, members: string[]) =>
      graph.groups.set(group, { mail: group, members, owners: [] }),
  },
};

test.each(Object.entries(PROVIDERS))(
  "%s tells the users of groups in groups, also in a circle",
  async (_provider, { source, tell }) => {
    await assert(
      asyncProperty(pairs, async (all) => {
        const groups = Array.from({ length: GROUPS }, (_, at) => at);
        for (const group of groups) tell(addressOf(group), membersOf(group, all));
        for (const group of groups) {
          const { signal } = new AbortController();
          const members = (await source.reader().membersOf?.(addressOf(group), signal)) ?? [];
          expect([...new Set(members)].sort()).toEqual(usersIn(group, all).sort());
        }
      }),
      { numRuns, seed: SEED },
    );
  },
);
