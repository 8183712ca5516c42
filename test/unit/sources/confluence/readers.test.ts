import { expect, test } from "vitest";

import { ConfluenceDouble } from "../../../doubles/confluence/confluence-double.ts";
import { confluenceSource } from "../../../doubles/confluence/scanning.ts";
import type { Restrictions } from "../../../doubles/confluence/site.ts";
import { failureOf, fileOf, FOREVER } from "../../../doubles/source/simulated-scans.ts";

/** Ann and Bob are in `all`; Ann leads; Cy hides the e-mail and is in `leads` alone. */
function sharedSite() {
  const site = new ConfluenceDouble();
  const ann = site.person("ann", { groups: ["all", "leads"] });
  const bob = site.person("bob");
  const cy = site.person("cy", { email: "", groups: ["leads"] });
  const space = site.space("ENG");
  const top = site.page(space, "Top", "<p>Top</p>");
  const page = site.page(space, "Page", "<p>Page</p>", top);
  const file = site.attach(page, "a.txt", "a");
  return { site, space, top, page, file, ann, bob, cy };
}

const restrictedTo = (users: string[], groups: string[] = []): Restrictions => ({ users, groups });

type Shared = ReturnType<typeof sharedSite>;

test.each<[string, (shared: Shared) => void, string[] | string]>([
  ["the space's groups", () => undefined, ["group:all"]],
  [
    "a restriction that names one of the space's groups",
    ({ site, space, page }) => {
      space.readers = restrictedTo([], ["all", "leads"]);
      site.alter(page, { restrictions: restrictedTo([], ["leads"]) });
    },
    ["group:leads"],
  ],
  [
    "a restriction of a page above, by people in the space's group",
    ({ site, top, ann, bob }) => site.alter(top, { restrictions: restrictedTo([ann, bob]) }),
    ["user:ann@example.com", "user:bob@example.com"],
  ],
  [
    "the home page's restriction, which counts for all below",
    ({ site, space, bob }) =>
      site.alter(space.homepageId ?? "", { restrictions: restrictedTo([bob]) }),
    ["user:bob@example.com"],
  ],
  [
    "restrictions of two pages, whose people must be in both",
    ({ site, top, page, ann, bob }) => {
      site.alter(top, { restrictions: restrictedTo([bob], ["leads"]) });
      site.alter(page, { restrictions: restrictedTo([ann]) });
    },
    ["user:ann@example.com"],
  ],
  [
    "restrictions of two pages that nobody is in",
    ({ site, top, page, ann, bob }) => {
      site.alter(top, { restrictions: restrictedTo([bob]) });
      site.alter(page, { restrictions: restrictedTo([ann]) });
    },
    [],
  ],
  [
    "a person outside the space",
    ({ site, page, cy }) => site.alter(page, { restrictions: restrictedTo([cy]) }),
    [],
  ],
  [
    "a person who hides the e-mail",
    ({ site, space, page, cy }) => {
      space.readers = restrictedTo([], ["leads"]);
      site.alter(page, { restrictions: restrictedTo([cy]) });
    },
    ["group:confluence-user:712020:cy"],
  ],
  [
    "a public space",
    ({ site, space }) => {
      site.allowsVisitors = true;
      space.roles = ["GROUP all", "ACCESS_CLASS anonymous-users"];
    },
    ["everyone"],
  ],
  [
    "a space for visitors on a site that lets none in",
    ({ space }) => (space.roles = ["ACCESS_CLASS anonymous-users"]),
    ["group:all"],
  ],
  [
    "a restricted page of a public space",
    ({ site, space, page, ann }) => {
      site.allowsVisitors = true;
      space.roles = ["ACCESS_CLASS anonymous-users"];
      site.alter(page, { restrictions: restrictedTo([ann], ["leads"]) });
    },
    ["user:ann@example.com", "group:leads"],
  ],
  [
    "roles",
    ({ space, bob }) => {
      space.readers = restrictedTo([]);
      space.roles = [`USER ${bob}`, "ACCESS_CLASS all-licensed-users"];
    },
    ["user:bob@example.com", "group:all-licensed-users"],
  ],
  [
    "a group whose members the account may not read",
    ({ site, page, bob }) => {
      site.closedGroups.add("all");
      site.alter(page, { restrictions: restrictedTo([bob]) });
    },
    "Confluence: 403",
  ],
  [
    "a restriction that names more than a search tells",
    ({ site, page }) => {
      const many = Array.from({ length: 30 }, (_, at) => site.person(`p${at}`));
      site.alter(page, { restrictions: restrictedTo(many.slice(0, 29)) });
    },
    Array.from({ length: 29 }, (_, at) => `user:p${at}@example.com`),
  ],
  [
    "a restriction that names more than can be read",
    ({ site, page }) => {
      const many = Array.from({ length: 200 }, (_, at) => site.person(`p${at}`));
      site.alter(page, { restrictions: restrictedTo(many) });
    },
    "names too many",
  ],
  [
    "a page above that the account does not see",
    ({ site, top }) => site.alter(top, { isSeen: false }),
    "Confluence: 404",
  ],
  [
    "a restricted folder above, and a page that search does not know",
    ({ site, space, page, top, bob }) => {
      const folder = site.add({ type: "folder", space: space.id, title: "F", parent: top });
      site.alter(folder, { restrictions: restrictedTo([bob]) });
      site.alter(page, { parent: folder });
      site.unindexed.add(page);
    },
    ["user:bob@example.com"],
  ],
])("who may read a page and its attachment: %s", async (_what, share, readers) => {
  const shared = sharedSite();
  share(shared);
  const source = confluenceSource(shared.site, {}, true);
  await source.scan();
  for (const id of [shared.page, shared.file]) {
    const actual = fileOf(source, id).readers;
    const names =
      actual === undefined || "unreadable" in actual
        ? actual?.unreadable
        : actual.principals.map(({ principal }) => principal);
    expect(names).toEqual(typeof readers === "string" ? expect.stringContaining(readers) : readers);
  }
});

test("a restriction counts at the next scan, which lists everything", async () => {
  const { site, page, ann } = sharedSite();
  const source = confluenceSource(site, {}, true);
  await source.scan();
  site.alter(page, { restrictions: restrictedTo([ann]) });
  site.requests.length = 0;
  expect(await source.scan()).toBe("full");
  expect(fileOf(source, page).readers).toMatchObject({
    principals: [{ principal: "user:ann@example.com", from: "page restrictions" }],
  });
  expect(site.requests.filter((call) => call.includes("restriction/byOperation"))).toEqual([]);
});

test("what may not be read is asked once for many pages", async () => {
  const { site, space, top, bob } = sharedSite();
  site.closedGroups.add("all");
  site.alter(top, { restrictions: restrictedTo([bob]) });
  for (let at = 0; at < 20; at++) site.page(space, `Below ${at}`, "<p>Below</p>", top);
  const source = confluenceSource(site, {}, true);
  await source.scan();
  expect(site.requests.filter((call) => call.includes("/group/all/"))).toHaveLength(1);
  site.requests.length = 0;
  site.fail({ path: /permissions$/, status: 403, times: Infinity });
  await source.scan();
  expect(site.requests.filter((call) => call.includes("/permissions"))).toHaveLength(1);
});

test("members of groups are told page by page, or why they are not", async () => {
  const { site } = sharedSite();
  site.pageSize = 1;
  const reader = confluenceSource(site, {}, true).reader();
  expect(await reader.membersOf("leads", FOREVER)).toEqual([
    "user:ann@example.com",
    "group:confluence-user:712020:cy",
  ]);
  site.closedGroups.add("leads");
  expect(await failureOf(reader.membersOf("leads", FOREVER))).toMatchObject({ kind: "denied" });
});
