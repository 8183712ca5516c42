import { expect, test } from "vitest";

import { GithubDouble, TOKEN } from "../../../doubles/github/github-double.ts";
import { githubSource, openRepository } from "../../../doubles/github/scanning.ts";
import { failureOf, fileOf } from "../../../doubles/source/simulated-scans.ts";
import { principalsIn } from "../../../support/principals-in.ts";

function privateRepository() {
  const { double, own, source } = openRepository({ issues: true }, true);
  own.isPrivate = true;
  own.write("a.md", "a");
  const issue = own.issue("One");
  const readers = () => fileOf(source, `${own.id}:a.md`).readers;
  const readersOfIssue = () => fileOf(source, `${own.id}#${issue.number}`).readers;
  return { double, own, source, readers, readersOfIssue };
}

test("collaborators read by their address, or as a group of one", async () => {
  const { double, own, source, readers, readersOfIssue } = privateRepository();
  own.collaborators = ["ann", "Bob", "cat"];
  double.people.set("ann", { email: "ann@home.example", verified: ["ann@acme.example"] });
  double.people.set("Bob", {});
  await source.scan();
  const from = "repository handbook";
  const principals = [
    { principal: "group:github-user:Bob", from },
    { principal: "user:ann@acme.example", from },
    { principal: "user:ann@home.example", from },
    { principal: "group:github-user:cat", from },
  ];
  expect(readers()).toEqual({ principals });
  expect(readersOfIssue()).toEqual({ principals });
});

test("everyone reads a public repository, and nobody is asked", async () => {
  const { double, own, source } = openRepository({}, true);
  own.write("a.md", "a");
  await source.scan();
  expect(principalsIn(fileOf(source, `${own.id}:a.md`).readers)).toEqual(["everyone"]);
  expect(double.requests.some((each) => each.includes("collaborators"))).toBe(false);
  own.isPrivate = true;
  await source.scan();
  expect(principalsIn(fileOf(source, `${own.id}:a.md`).readers)).toEqual([]);
});

test("a server that nobody sees without signing in has no public repository", async () => {
  const { double, own, source } = openRepository({}, true);
  own.write("a.md", "a");
  own.collaborators = ["ann"];
  const readers = () => principalsIn(fileOf(source, `${own.id}:a.md`).readers);
  double.isPrivateMode = true;
  await source.scan();
  expect(readers()).toEqual(["group:github-user:ann"]);
  double.isPrivateMode = false;
  await source.scan();
  expect(readers()).toEqual(["everyone"]);
});

test("unchanged collaborators cost one call, changed ones reach every file", async () => {
  const { double, own, source, readers } = privateRepository();
  double.pageSize = 2;
  own.collaborators = ["ann", "bob"];
  await source.scan();
  double.requests.length = 0;
  expect(await source.scan()).toBe("follow");
  const requests = double.requests.filter((each) => /collaborators|graphql/.test(each));
  expect(requests).toHaveLength(1);
  own.collaborators = ["bob", "dan", "eve"];
  await source.scan();
  expect(principalsIn(readers())).toEqual(
    ["bob", "dan", "eve"].map((login) => `group:github-user:${login}`),
  );
});

test("collaborators that cannot be read let nobody in, and a limit is waited for", async () => {
  const { double, own, source, readers } = privateRepository();
  own.collaborators = ["ann"];
  double.mayList = false;
  await source.scan();
  expect(readers()).toEqual({ unreadable: expect.stringContaining("write access") });
  double.mayList = true;
  double.fail({ path: /graphql/, status: 403, headers: { "retry-after": "5" } });
  expect(await failureOf(source.scan())).toMatchObject({ kind: "throttled" });
  await source.scan();
  expect(principalsIn(readers())).toEqual(["group:github-user:ann"]);
});

test("the other API of an Enterprise Server is beside the first", async () => {
  const double = new GithubDouble();
  const own = double.repository("handbook", true);
  own.write("a.md", "a");
  own.collaborators = ["ann"];
  double.people.set("ann", { email: "ann@acme.example" });
  const { fetch } = double;
  const server: typeof fetch = async (address, request) =>
    await fetch(address.replace("/api/v3/", "/").replace("/api/graphql", "/graphql"), request);
  Object.assign(double, { fetch: server });
  const apiBaseUrl = "https://ghe.example/api/v3";
  for (const credentials of [{ token: TOKEN }, double.app.credentials()]) {
    const source = githubSource(double, { apiBaseUrl, credentials }, true);
    await source.scan();
    const { readers } = fileOf(source, `${own.id}:a.md`);
    expect(principalsIn(readers)).toEqual(["user:ann@acme.example"]);
  }
});

test("public addresses count alone, and a limit of the other API is waited for", async () => {
  const { double, own, source, readers } = privateRepository();
  own.collaborators = ["ann"];
  double.people.set("ann", { email: "ann@home.example", verified: ["ann@acme.example"] });
  double.tellsVerified = false;
  double.graphqlErrors = { data: null, errors: [{ type: "RATE_LIMITED", message: "exceeded" }] };
  expect(await failureOf(source.scan())).toMatchObject({ kind: "throttled" });
  double.graphqlErrors = null;
  await source.scan();
  expect(principalsIn(readers())).toEqual(["user:ann@home.example"]);
});
