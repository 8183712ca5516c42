import { createV1Client, createV2Client, isAuthError, isRateLimitError } from "confluence.js";
import { expect, test } from "vitest";

import { ConfluenceDouble } from "../doubles/confluence/confluence-double.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";

/** The client checks each answer by the schemas of Atlassian's published OpenAPI. */
async function served() {
  const site = new ConfluenceDouble();
  const server = await serveFetch(site.fetch, site.baseUrl);
  const auth = { type: "basic", email: site.email, apiToken: site.token } as const;
  const config = { host: server.address, auth };
  return { site, server, v1: createV1Client(config), v2: createV2Client(config) };
}

const cursorIn = (page: object) => /cursor=([^&"]*)/.exec(JSON.stringify(page))?.[1];

test("confluence.js lists the double, cursor by cursor, and reads a page", async () => {
  const { site, server, v2 } = await served();
  try {
    const space = site.space("ENG");
    const guide = site.page(space, "Guide", "<p>Read me</p>");
    const folder = site.add({ type: "folder", space: space.id, title: "Old", parent: guide });
    const page = site.page(space, "Kept", "<p>Kept</p>", folder);
    const post = site.add({ type: "blogpost", space: space.id, title: "News", body: "<p>New</p>" });
    const spaces = await v2.space.getSpaces({ keys: ["ENG"], status: "current" });
    expect(spaces.results).toMatchObject([{ key: "ENG", homepageId: space.homepageId }]);
    const id = Number(space.id);
    const first = await v2.page.getPagesInSpace({ id, status: ["current"], limit: 2 });
    expect(first.results).toMatchObject([{ title: "ENG home" }, { id: guide, parentType: "page" }]);
    const cursor = cursorIn(first) ?? "";
    const second = await v2.page.getPagesInSpace({ id, status: ["current"], limit: 2, cursor });
    expect(second.results).toMatchObject([{ id: page, parentId: folder, parentType: "folder" }]);
    expect(cursorIn(second)).toBeUndefined();
    expect(await v2.folder.getFolderById({ id: Number(folder) })).toMatchObject({ title: "Old" });
    const posts = await v2.blogPost.getBlogPostsInSpace({ id });
    expect(posts.results).toMatchObject([{ id: post, title: "News" }]);
    const content = await v2.page.getPageById({ id: Number(page), bodyFormat: "storage" });
    expect(content).toMatchObject({
      version: { number: 1 },
      body: { storage: { value: "<p>Kept</p>" } },
    });
  } finally {
    await server.stop();
  }
});

test("confluence.js searches the double and reads who may read", async () => {
  const { site, server, v1, v2 } = await served();
  try {
    site.hasNumericSpaceIds = false;
    const ann = site.person("ann");
    const space = site.space("ENG");
    const page = site.page(space, "Guide", "<p>Read me</p>");
    site.alter(page, { labels: ["plan"], restrictions: { users: [ann], groups: ["all"] } });
    const file = site.attach(page, "plan.txt", "The plan.");
    const path = "restrictions.read.restrictions";
    const matches = await v1.content.searchContentByCQL({
      cql: 'space = "ENG" and type in (page, attachment)',
      expand: ["version", "container", "metadata.labels", `${path}.user`, `${path}.group`],
    });
    expect(matches.results).toMatchObject([
      { title: "ENG home" },
      { id: page, metadata: { labels: { results: [{ name: "plan" }] } } },
      { id: file, extensions: { fileSize: 9 }, container: { id: page } },
    ]);
    const expected = {
      operation: "read",
      restrictions: { user: { results: [{ accountId: ann }] } },
    };
    expect(matches.results[1]?.restrictions?.read).toMatchObject(expected);
    const operation = { id: page, operationKey: "read" } as const;
    expect(await v1.contentRestrictions.getRestrictionsForOperation(operation)).toMatchObject(
      expected,
    );
    const members = await v1.group.getGroupMembersByGroupId({ groupId: "all" });
    expect(members.results).toMatchObject([{ accountId: ann, email: "ann@example.com" }]);
    const people = await v2.user.createBulkUserLookup({ body: { accountIds: [ann] } });
    expect(people.results).toMatchObject([{ displayName: "ann Person" }]);
    const id = Number(space.id);
    const permissions = await v2.spacePermissions.getSpacePermissionsAssignments({ id });
    expect(permissions.results?.at(-1)).toMatchObject({ principal: { type: "group", id: "all" } });
    space.roles = ["ACCESS_CLASS anonymous-users"];
    const roles = await v2.spaceRoles.getSpaceRoleAssignments({ id });
    expect(roles.results).toMatchObject([{ principal: { principalType: "ACCESS_CLASS" } }]);
    site.fail({ path: /current/, status: 429, headers: { "retry-after": "3" } });
    const throttled = await v1.users.getCurrentUser().catch((thrown: unknown) => thrown);
    expect(isRateLimitError(throttled)).toBe(true);
    site.token = "other";
    const refusal = await v1.users.getCurrentUser().catch((thrown: unknown) => thrown);
    expect(isAuthError(refusal)).toBe(true);
  } finally {
    await server.stop();
  }
});
