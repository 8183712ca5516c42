import { Octokit } from "@octokit/rest";
import { expect, onTestFinished, test } from "vitest";

import { BASE, GithubDouble, TOKEN } from "../doubles/github/github-double.ts";
import { serveFetch } from "../doubles/serve-fetch.ts";

async function served(double: GithubDouble) {
  const server = await serveFetch(double.fetch);
  onTestFinished(() => server.stop());
  // Warnings of expected refusals are no news.
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new Octokit({ auth: TOKEN, baseUrl: server.address, log });
}

test("GitHub's own client reads repositories, trees and blobs of the double", async () => {
  const double = new GithubDouble();
  double.pageSize = 2;
  for (const name of ["one", "two", "three"]) double.repository(name, name === "two");
  const [own] = [...double.repositories.values()];
  own?.write("docs/a.md", "# A");
  own?.write("b.md", "b");
  const client = await served(double);
  const { owner } = double;
  const { data: account } = await client.rest.users.getByUsername({ username: owner });
  expect(account.type).toBe("Organization");
  const all = await client.paginate(client.rest.repos.listForOrg, { org: owner, per_page: 100 });
  expect(all.map(({ name, private: isPrivate }) => [name, isPrivate])).toEqual([
    ["one", false],
    ["two", true],
    ["three", false],
  ]);
  const at = { owner, repo: "one" };
  const head = await client.rest.git.getRef({ ...at, ref: "heads/main" });
  expect(head.data.object).toMatchObject({ type: "commit", sha: own?.head });
  const conditionalRequest = client.rest.git.getRef({
    ...at,
    ref: "heads/main",
    headers: { "if-none-match": head.headers.etag ?? "" },
  });
  await expect(conditionalRequest).rejects.toMatchObject({ status: 304 });
  const tree_sha = head.data.object.sha;
  const { data: tree } = await client.rest.git.getTree({ ...at, tree_sha, recursive: "1" });
  expect(tree.truncated).toBe(false);
  expect(tree.tree.map(({ path, type }) => [path, type])).toEqual([
    ["b.md", "blob"],
    ["docs", "tree"],
    ["docs/a.md", "blob"],
  ]);
  const folder = tree.tree.find(({ path }) => path === "docs")?.sha ?? "";
  const { data: inner } = await client.rest.git.getTree({ ...at, tree_sha: folder });
  expect(inner.tree.map(({ path }) => path)).toEqual(["a.md"]);
  const file_sha = inner.tree[0]?.sha ?? "";
  const { data: blob } = await client.rest.git.getBlob({ ...at, file_sha });
  expect(Buffer.from(blob.content, "base64").toString()).toBe("# A");
  const raw = await client.rest.git.getBlob({ ...at, file_sha, mediaType: { format: "raw" } });
  expect(new TextDecoder().decode(raw.data as unknown as ArrayBuffer)).toBe("# A");
  const empty = client.rest.git.getRef({ owner, repo: "three", ref: "heads/main" });
  await expect(empty).rejects.toMatchObject({ status: 409 });
});

test("GitHub's own client reads issues, comments and collaborators of the double", async () => {
  const double = new GithubDouble();
  const own = double.repository("one", true);
  const issue = own.issue("Door", { labels: ["bug"], body: "It rattles." });
  own.issue("Oil", { isPull: true, state: "closed" });
  own.comment(issue, "bob", "Oiled.");
  own.collaborators = ["ann", "bob"];
  double.people.set("ann", { email: "ann@acme.example" });
  const client = await served(double);
  const at = { owner: double.owner, repo: "one" };
  const { data: issues } = await client.rest.issues.listForRepo({
    ...at,
    state: "all",
    sort: "updated",
    direction: "asc",
    since: issue.created,
  });
  expect(issues.map(({ number, pull_request }) => [number, pull_request !== undefined])).toEqual([
    [2, true],
    [1, false],
  ]);
  const { data: firstIssue } = await client.rest.issues.get({ ...at, issue_number: 1 });
  expect(firstIssue).toMatchObject({ title: "Door", body: "It rattles.", user: { login: "ann" } });
  const { data: comments } = await client.rest.issues.listComments({ ...at, issue_number: 1 });
  expect(comments).toMatchObject([{ body: "Oiled.", user: { login: "bob" } }]);
  const { data: people } = await client.rest.repos.listCollaborators({ ...at, affiliation: "all" });
  expect(people.map(({ login }) => login)).toEqual(["ann", "bob"]);
  const users = await client.graphql(
    `{ u0: user(login: "ann") { email } u1: user(login: "bob") { email } }`,
  );
  expect(users).toMatchObject({ u0: { email: "ann@acme.example" }, u1: null });
  own.hasIssues = false;
  const refusal = client.rest.issues.listForRepo(at);
  await expect(refusal).rejects.toMatchObject({ status: 410 });
});

test("GitHub's own client sees the limit of the double, and that no app is known", async () => {
  const double = new GithubDouble();
  Object.assign(double, { remaining: 0, resetAt: 60_000 });
  const client = await served(double);
  const limited = client.rest.users.getByUsername({ username: double.owner });
  await expect(limited).rejects.toMatchObject({
    status: 403,
    response: { headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "60" } },
  });
  const stranger = new Octokit({
    auth: "ghp_other",
    baseUrl: BASE,
    request: { fetch: double.fetch },
  });
  await expect(stranger.rest.users.getByUsername({ username: "x" })).rejects.toMatchObject({
    status: 401,
  });
});
