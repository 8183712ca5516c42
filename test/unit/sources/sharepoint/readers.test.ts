import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";

import type { Item } from "../../../doubles/microsoft-graph/answers.ts";
import { certificate } from "../../../doubles/microsoft-graph/certificate.ts";
import type { DriveDouble } from "../../../doubles/microsoft-graph/drive-double.ts";
import { entraGroup, link, siteGroup, user } from "../../../doubles/microsoft-graph/grant.ts";
import type { Grant } from "../../../doubles/microsoft-graph/grant.ts";
import { GraphDouble } from "../../../doubles/microsoft-graph/graph-double.ts";
import { grantsOf } from "../../../doubles/microsoft-graph/permissions.ts";
import { applyStep } from "../../../doubles/microsoft-graph/random-changes.ts";
import { graphSource } from "../../../doubles/microsoft-graph/scanning.ts";
import { numRuns } from "../../../doubles/source/random-schedules.ts";
import { fileOf } from "../../../doubles/source/simulated-scans.ts";
import { principalsIn } from "../../../support/principals-in.ts";
import { SEED } from "../../../support/seed.ts";

const HOUR_MS = 3_600_000;

/** A library with a file in a folder. */
function shared() {
  const graph = new GraphDouble();
  let now = Date.now();
  graph.now = () => now;
  graph.entra.now = () => now;
  const site = graph.site("hr");
  const { library } = site;
  const folder = library.folder(library.root, "Offers");
  const file = library.file(folder, "a.txt", "text");
  const source = graphSource(graph, { siteId: site.id }, true);
  source.setTime(now);
  const tick = (hours: number) => source.setTime((now += hours * HOUR_MS));
  const readers = () => fileOf(source, file).readers;
  return { graph, library, folder, file, source, readers, tick, now: () => now };
}

const GROUP = "0A1b2c3d-1111-2222-3333-444455556666";

test.each<[what: string, grant: Grant, principals: string[]]>([
  ["a user", user("Ann@contoso.example"), ["user:ann@contoso.example"]],
  ["a security group", entraGroup(GROUP), [`group:${GROUP.toLowerCase()}`]],
  [
    "a Microsoft 365 group",
    {
      roles: ["write"],
      grantedToV2: {
        group: { id: GROUP, email: "hr@contoso.example" },
        siteUser: { loginName: `c:0o.c|federateddirectoryclaimprovider|${GROUP}` },
      },
    },
    [`group:${GROUP.toLowerCase()}`, "group:hr@contoso.example"],
  ],
  [
    "the owners of such a group, who are not its members",
    {
      roles: ["owner"],
      grantedToV2: {
        group: { id: GROUP, email: "hr@contoso.example" },
        siteUser: { loginName: `c:0o.c|federateddirectoryclaimprovider|${GROUP}_o` },
      },
    },
    [`group:${GROUP.toLowerCase()}_o`],
  ],
  [
    "everyone but guests",
    {
      roles: ["read"],
      grantedToV2: { siteUser: { loginName: "c:0-.f|rolemanager|spo-grid-all-users/1-2" } },
    },
    ["domain:contoso.example"],
  ],
  ["a link for the organization", link("organization"), ["domain:contoso.example"]],
  ["a link for anybody", link("anonymous"), ["everyone"]],
  ["a link with a password", link("anonymous", { hasPassword: true }), []],
  ["a link to existing access", link("existingAccess"), []],
  [
    "a link for people",
    link("users", { grantedToIdentitiesV2: [{ user: { email: "bob@partner.example" } }] }),
    ["user:bob@partner.example"],
  ],
  [
    "an invitation",
    { roles: ["read"], invitation: { email: "eve@partner.example", signInRequired: true } },
    ["user:eve@partner.example"],
  ],
  ["a role that does not read", user("ann@contoso.example", { roles: ["sp.limited access"] }), []],
  [
    "what has expired",
    user("a@contoso.example", { expirationDateTime: "2020-01-01T00:00:00Z" }),
    [],
  ],
  [
    "what never expires",
    user("ann@contoso.example", { expirationDateTime: "0001-01-01T00:00:00Z" }),
    ["user:ann@contoso.example"],
  ],
])("%s becomes principals", async (_what, grant, principals) => {
  const { library, folder, source, readers } = shared();
  library.change(folder, { grants: [grant] });
  await source.scan();
  expect(principalsIn(readers())).toEqual(principals);
});

test("a share lets nobody in after its end", async () => {
  const { library, folder, source, readers, tick, now } = shared();
  const end = { expirationDateTime: new Date(now() + HOUR_MS).toISOString() };
  library.change(folder, { grants: [user("ann@contoso.example", end)] });
  await source.scan();
  expect(principalsIn(readers())).toEqual(["user:ann@contoso.example"]);
  tick(1);
  await source.scan();
  expect(principalsIn(readers())).toEqual([]);
});

test("a site's own groups let nobody in that is not named as a member", async () => {
  const { library, source, readers } = shared();
  library.change(library.root, { grants: [siteGroup("5", "HR Members")] });
  await source.scan();
  const principal = `group:sharepoint/${library.id.toLowerCase()}/5`;
  expect(readers()).toEqual({ principals: [{ principal, from: "library Documents" }] });
});

test("what is inherited costs no call, however many files", async () => {
  const { graph, library, folder, source, readers } = shared();
  const people = Array.from({ length: 250 }, (_, at) => user(`p${at}@contoso.example`));
  library.change(library.root, { grants: people });
  for (let at = 0; at < 50; at++) library.file(folder, `f${at}.txt`, "text");
  await source.scan();
  expect(graph.requests.filter((each) => each.endsWith("/permissions"))).toHaveLength(3);
  expect(principalsIn(readers())).toHaveLength(250);
});

test("files of a folder that moves have the readers of where it lies", async () => {
  const { library, folder, source, readers } = shared();
  const otherFolder = library.folder(library.root, "Other");
  library.change(otherFolder, { grants: [user("ann@contoso.example")] });
  await source.scan();
  library.change(folder, { parent: otherFolder });
  await source.scan();
  expect(principalsIn(readers())).toEqual(["user:ann@contoso.example"]);
});

test("without full control nobody reads, and the file says what is missing", async () => {
  const { graph, library, source, readers } = shared();
  library.change(library.root, { grants: [link("anonymous"), link("organization")] });
  graph.hasFullControl = false;
  await source.scan();
  expect(readers()).toEqual({ unreadable: expect.stringContaining("Sites.FullControl.All") });
  graph.hasFullControl = true;
  graph.domains = null;
  await source.scan();
  expect(principalsIn(readers())).toEqual(["everyone"]);
});

test("members are read with those of nested groups, also in a circle", async () => {
  const { graph, source } = shared();
  const people = Array.from({ length: 1_200 }, (_, at) => `p${at}@contoso.example`);
  const [outer, inner] = ["outer-id", "inner-id"];
  graph.groups.set(outer, { mail: "all@contoso.example", members: [inner], owners: [] });
  const owners = ["ann@contoso.example"];
  graph.groups.set(inner, { mail: null, members: [...people, outer], owners });
  const members = async (group: string) =>
    [...new Set(await source.reader().membersOf(group, new AbortController().signal))].sort();
  const users = people.map((person) => `user:${person}`).sort();
  expect(await members(outer)).toEqual(users);
  expect(await members("all@contoso.example")).toEqual(users);
  expect(await members(`${inner}_o`)).toEqual(owners.map((owner) => `user:${owner}`));
  graph.mayReadGroups = false;
  const message = expect.stringContaining("GroupMember.Read.All");
  await expect(members(inner)).rejects.toMatchObject({ kind: "denied", message });
});

test("a certificate reads members of a site's own groups", async () => {
  const { graph, library, source } = shared();
  const nested = "0a1b2c3d-1111-2222-3333-444455556666";
  const hiddenGroup = "0a1b2c3d-9999-2222-3333-444455556666";
  graph.groups.set(nested, { mail: null, members: ["bob@contoso.example"], owners: [] });
  graph.siteGroups.set(5, [
    "i:0#.f|membership|Ann@contoso.example",
    `c:0t.c|tenant|${nested}`,
    `c:0t.c|tenant|${hiddenGroup}`,
    "c:0-.f|rolemanager|spo-grid-all-users/1-2",
    "SHAREPOINT\\system",
  ]);
  const group = `sharepoint/${library.id.toLowerCase()}/5`;
  const members = async () =>
    (await source.reader().membersOf(group, new AbortController().signal)).sort();
  const expectRefusal = async (part: string) => {
    const message = expect.stringContaining(part);
    await expect(members()).rejects.toMatchObject({ kind: "denied", message });
  };
  await expectRefusal("only an app with a certificate");
  const { privateKey, publicKey, der, pem } = certificate();
  graph.entra.certificate = { publicKey, der };
  graph.entra.secret = `${privateKey}\n${pem}`;
  expect(await members()).toEqual([
    "domain:contoso.example",
    `group:${nested}`,
    `group:${hiddenGroup}`,
    "user:ann@contoso.example",
    "user:bob@contoso.example",
  ]);
  graph.mayReadSiteGroups = false;
  await expectRefusal("Sites.FullControl.All of SharePoint");
});

const KINDS =
  "file folder edit touch rename move move move delete share share share unshare inherit tick scan scan crash fail hide expire lag catchUp".split(
    " ",
  );
const step = record({
  kind: constantFrom(...KINDS),
  pick: nat({ max: 50 }),
  variant: nat({ max: 50 }),
});

type Shared = { library: DriveDouble; item: Item; variant: number; now: number };

const SHARE: Record<string, (sharing: Shared) => void> = {
  share({ library, item, variant, now }) {
    const end = { expirationDateTime: new Date(now + HOUR_MS * (variant % 4)).toISOString() };
    const grant = user(`p${variant % 4}@contoso.example`, variant % 3 === 0 ? end : {});
    library.change(item.id, { grants: [...grantsOf(library.items, item), grant] });
  },
  unshare: ({ library, item }) =>
    library.change(item.id, { grants: grantsOf(library.items, item).slice(1) }),
  inherit({ library, item }) {
    if (item.kind !== "root") library.change(item.id, { grants: null });
  },
};

test("whatever is shared, moved or lost, a scan leaves those who may read", async () => {
  const schedules = array(step, { minLength: 5, maxLength: 30, size: "max" });
  await assert(
    asyncProperty(schedules, async (steps) => {
      const { graph, library, source, tick, now } = shared();
      library.pageSize = 3;
      const deep = library.folder(library.folder(library.root, "Top"), "Deep");
      for (const parent of [library.root, deep, deep]) library.file(parent, "n.txt", "text");
      /** Hidden readers let nobody in, and may be missed when they are shown again. */
      let wasHidden = false;
      const agree = () => {
        for (const [id, { readers }] of source.files) {
          const grants = grantsOf(library.items, library.item(id)).filter(
            ({ expirationDateTime: end }) => end === undefined || Date.parse(end) > now(),
          );
          const expected = grants.map(({ id: name }) => String(name).replace("u-", "user:"));
          const [actual, may] = [principalsIn(readers), [...new Set(expected)].sort()];
          if (!wasHidden) expect(actual).toEqual(may);
          else if (Array.isArray(actual)) expect(may).toEqual(expect.arrayContaining(actual));
        }
      };
      let isLagging = false;
      const deeds: Record<string, (pick: number, variant: number) => unknown> = {
        async scan() {
          await source.scan();
          if (!isLagging) agree();
        },
        crash: async (pick) => await source.scan(1 + (pick % 4)),
        async fail(pick) {
          graph.fail({ path: pick % 2 === 0 ? /delta/ : /permissions/, status: 503 });
          await source.scan().catch(() => undefined);
          graph.failures.length = 0;
        },
        hide(pick, variant) {
          if (pick % 3 > 0) return;
          graph.hasFullControl = variant % 2 === 0;
          wasHidden ||= !graph.hasFullControl;
        },
        tick: (_pick, variant) => tick(1 + (variant % 3)),
        lag() {
          isLagging = true;
          library.lag();
        },
        catchUp() {
          isLagging = false;
          library.catchUp();
        },
      };
      await source.scan();
      for (const { kind, pick, variant } of steps) {
        const items = [...library.items.values()].filter(({ deleted }) => !deleted);
        const item = items[pick % items.length];
        if (item === undefined) continue;
        const deed = deeds[kind];
        const share = SHARE[kind];
        if (deed !== undefined) await deed(pick, variant);
        else if (share !== undefined) share({ library, item, variant, now: now() });
        else applyStep(library, { kind, pick, variant });
      }
      library.catchUp();
      if ((await source.scan()) === "full") await source.scan();
      agree();
      expect(await source.scan()).toBe("follow");
      agree();
    }),
    { numRuns, seed: SEED },
  );
});
