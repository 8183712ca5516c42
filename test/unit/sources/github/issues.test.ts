import { expect, test } from "vitest";

import { openRepository } from "../../../doubles/github/scanning.ts";
import { failureOf, fileOf, textOf } from "../../../doubles/source/simulated-scans.ts";

test("an issue and a pull request are documents with their comments", async () => {
  const { own, source } = openRepository({ issues: true });
  const body = "It **rattles**.\n\n- [ ] oil";
  const issue = own.issue("The door", { labels: ["bug", "door"], body });
  own.comment(issue, "bob", "Oiled, see `hinge`.");
  own.comment(issue, null, "");
  const pull = own.issue("Oil", { isPull: true, login: null, state: "closed" });
  pull.reviewComments.push({ user: { login: "cat" }, created_at: "2026-01-02", body: "Less oil." });
  await source.scan();
  const id = `${own.id}#${issue.number}`;
  expect(fileOf(source, id)).toMatchObject({
    path: "handbook/issues/1.md",
    url: "https://github.example/acme/handbook/issues/1",
    mimeType: "text/markdown",
    metadata: { state: "open", labels: ["bug", "door"], author: "ann" },
    modifiedAt: Date.parse(issue.updated),
  });
  const text = await textOf(source, id);
  expect(text).toContain("# The door\n\nIssue #1, open\n\n");
  expect(text).toContain("Author: ann");
  expect(text).toContain("Labels: bug, door");
  expect(text).toContain(body);
  expect(text).toMatch(/## bob, .*\n\nOiled, see `hinge`\.\n\n## ghost/);
  const review = await textOf(source, `${own.id}#${pull.number}`);
  expect(review).toContain("Pull request #2, closed");
  expect(review).toContain("Author: ghost");
  expect(review).toContain("Less oil.");
});

test("an issue of another repository that took the name is not read in its place", async () => {
  const { double, own, source } = openRepository({ issues: true });
  own.issue("Open to all");
  await source.scan();
  own.name = "handbook-2025";
  double.repository("handbook", true).issue("For a few");
  expect(await failureOf(textOf(source, `${own.id}#1`))).toMatchObject({ kind: "down" });
  await source.scan();
  expect(await textOf(source, `${own.id}#1`)).toContain("Open to all");
});

test("only changed issues are asked for again", async () => {
  const { double, own, source } = openRepository({ issues: true });
  const [issue] = [own.issue("One"), own.issue("Two"), own.issue("Three")];
  await source.scan();
  const before = fileOf(source, `${own.id}#1`).version;
  own.comment(issue, "bob", "again");
  own.issue("Four");
  double.requests.length = 0;
  expect(await source.scan()).toBe("follow");
  const since = double.requests.find((each) => each.includes("/issues?"));
  expect(since).toContain("since=2026-");
  expect(fileOf(source, `${own.id}#1`).version).not.toBe(before);
  expect(source.paths()).toHaveLength(4);
});

test("an issue that changes between two pages hides no other", async () => {
  const { double, own, source } = openRepository({ issues: true });
  double.pageSize = 2;
  const issues = Array.from({ length: 7 }, (_, at) => own.issue(`Issue ${at}`));
  const { fetch } = double;
  const changing: typeof fetch = async (address, request) => {
    const answer = await fetch(address, request);
    const [first] = issues.splice(0, 1);
    if (address.includes("/issues?") && first !== undefined) own.edit(first, { state: "closed" });
    return answer;
  };
  Object.assign(double, { fetch: changing });
  await source.scan();
  expect(source.paths()).toHaveLength(7);
});

test("more issues of one second than fit a page are all read", async () => {
  const { double, own, source } = openRepository({ issues: true });
  double.pageSize = 2;
  const updated = "2026-02-01T00:00:00Z";
  for (let at = 0; at < 5; at++) own.issue(`Issue ${at}`, { updated });
  await source.scan();
  expect(source.paths()).toHaveLength(5);
  own.edit(own.issue("late"), { updated });
  await source.scan();
  expect(source.paths()).toHaveLength(6);
});

test("an issue makes way for a file of its path", async () => {
  const { own, source } = openRepository({ issues: true });
  own.issue("One");
  own.write("issues/2.md", "a file");
  own.issue("Two");
  await source.scan();
  expect(source.paths()).toEqual(["1.md", "2-issue.md", "2.md"].map((n) => `handbook/issues/${n}`));
  expect(await textOf(source, `${own.id}:issues/2.md`)).toBe("a file");
  own.write("issues/1.md", "another file");
  await source.scan();
  expect(fileOf(source, `${own.id}#1`).path).toBe("handbook/issues/1-issue.md");
  expect(fileOf(source, `${own.id}:issues/1.md`).path).toBe("handbook/issues/1.md");
});

test("a repository without issues, and a source without the setting, have none", async () => {
  const { own, source } = openRepository({ issues: true });
  own.write("a.md", "a");
  own.hasIssues = false;
  await source.scan();
  expect(source.paths()).toEqual(["handbook/a.md"]);
  const without = openRepository();
  without.own.issue("One");
  await without.source.scan();
  expect(without.double.requests.some((each) => each.includes("/issues"))).toBe(false);
});
