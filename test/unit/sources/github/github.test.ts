import { expect, test } from "vitest";

import { GithubDouble, TOKEN } from "../../../doubles/github/github-double.ts";
import { githubSource, openRepository } from "../../../doubles/github/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

const LFS = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;

test("lists files by path, version and address, and tells what is left out", async () => {
  const { double, own, source } = openRepository({ paths: { exclude: ["vendor/"] } });
  own.write("docs/Ä b.md", "# Guide");
  own.write("vendor/x.md", "not ours");
  own.write("link", "docs", "120000");
  own.write("module", "abc", "160000");
  own.write("logo.psd", LFS);
  own.write(".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n");
  double.repository("empty");
  const pages = [await source.reader().list(null, FOREVER)];
  expect(pages[0]?.problems).toEqual([
    { path: "handbook/link", message: "a symbolic link" },
    { path: "handbook/logo.psd", message: "its content is in Git LFS" },
    { path: "handbook/module", message: "a submodule" },
  ]);
  await source.scan();
  expect(source.paths()).toEqual(["handbook/.gitattributes", "handbook/docs/Ä b.md"]);
  const id = `${own.id}:docs/Ä b.md`;
  expect(fileOf(source, id)).toMatchObject({
    name: "Ä b.md",
    mimeType: "text/markdown",
    size: 7,
    url: `https://github.example/acme/handbook/blob/${own.head}/docs/%C3%84%20b.md`,
  });
  expect(await textOf(source, id)).toBe("# Guide");
});

test("a pointer into Git LFS is never a file's text, whichever folder names it", async () => {
  const { own, source } = openRepository();
  own.write("media/.gitattributes", "*.csv filter=lfs diff=lfs merge=lfs -text\n");
  own.write("media/a.csv", LFS);
  own.write("media/b.csv", "a,b\n".repeat(50));
  await source.scan();
  const failure = await failureOf(textOf(source, `${own.id}:media/a.csv`));
  expect(failure).toMatchObject({ kind: "bad-file", message: "its content is in Git LFS" });
  expect(await textOf(source, `${own.id}:media/b.csv`)).toBe("a,b\n".repeat(50));
});

test("changes cost a call for the head and two trees; an unchanged address stays", async () => {
  const { double, own, source } = openRepository();
  own.change((files) => {
    for (const name of ["a", "b", "c"]) files.set(`${name}.md`, { content: name, mode: "100644" });
  });
  await source.scan();
  const { url } = fileOf(source, `${own.id}:a.md`);
  own.write("b.md", "changed");
  own.remove("c.md");
  own.write("d/e.md", "new");
  double.requests.length = 0;
  expect(await source.scan()).toBe("follow");
  expect(double.requests.filter((each) => each.includes("/repos/acme/"))).toHaveLength(3);
  expect(source.paths()).toEqual(["handbook/a.md", "handbook/b.md", "handbook/d/e.md"]);
  double.repository("other").write("x.md", "x");
  expect(await source.scan()).toBe("full");
  expect(fileOf(source, `${own.id}:a.md`).url).toBe(url);
  expect(fileOf(source, `${own.id}:b.md`).url).toContain(own.head);
});

test("2,000 documents are listed with five calls, and unchanged ones with three", async () => {
  const { double, own, source } = openRepository({ issues: true });
  own.change((files) => {
    for (let at = 0; at < 2_000; at++) {
      files.set(`f${at % 7}/${at}.md`, { content: `text ${at}`, mode: "100644" });
    }
  });
  own.issue("One");
  await source.scan();
  expect(source.paths()).toHaveLength(2_001);
  expect(double.requests).toHaveLength(5);
  double.requests.length = 0;
  const { remaining } = double;
  expect(await source.scan()).toBe("follow");
  expect(double.requests.map((each) => each.split("?")[0])).toEqual([
    "GET /users/acme",
    "GET /orgs/acme/repos",
    "GET /repos/acme/handbook/git/ref/heads/main",
    "GET /repos/acme/handbook/issues",
  ]);
  // The unchanged head counts none.
  expect(remaining - double.remaining).toBe(3);
});

test("a tree that is too large is read and followed folder by folder", async () => {
  const { own, source } = openRepository();
  own.treeLimit = 3;
  for (const path of ["a/1.md", "a/2.md", "b/c/3.md", "b/c/4.md", "b/5.md", "6.md"]) {
    own.write(path, path);
  }
  await source.scan();
  expect(source.paths()).toHaveLength(6);
  own.change((files) => {
    files.delete("a/1.md");
    files.delete("b/c/3.md");
    files.delete("b/c/4.md");
    files.set("b/c", { content: "a file now", mode: "100644" });
  });
  expect(await source.scan()).toBe("follow");
  const paths = ["6.md", "a/2.md", "b/5.md", "b/c"].map((path) => `handbook/${path}`);
  expect(source.paths()).toEqual(paths);
});

test("repositories are chosen by name, renamed ones move, deleted ones leave", async () => {
  const double = new GithubDouble();
  double.pageSize = 2;
  const all = ["docs", "docs-old", "site", "Wiki"].map((name) => double.repository(name));
  for (const own of all) own.write("a.md", own.name);
  const source = githubSource(double, { repositories: ["docs*", "wiki"] });
  await source.scan();
  expect(source.paths()).toEqual(["Wiki/a.md", "docs-old/a.md", "docs/a.md"]);
  const [docs, old] = all;
  const { version } = fileOf(source, `${docs?.id}:a.md`);
  if (docs !== undefined) docs.name = "docs-new";
  double.repositories.delete(old?.id ?? 0);
  double.requests.length = 0;
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Wiki/a.md", "docs-new/a.md"]);
  expect(fileOf(source, `${docs?.id}:a.md`).version).toBe(version);
});

test("two repositories that exchange their names keep their files apart", async () => {
  const double = new GithubDouble();
  const [first, second] = [double.repository("one"), double.repository("two")];
  first.write("a.md", "1");
  second.write("a.md", "2");
  const source = githubSource(double);
  await source.scan();
  [first.name, second.name] = [second.name, first.name];
  await source.scan();
  expect(await textOf(source, `${first.id}:a.md`)).toBe("1");
  expect(fileOf(source, `${second.id}:a.md`).path).toMatch(/^one\/a/);
  expect(new Set(source.paths()).size).toBe(2);
});

test("a person's public and private repositories are read", async () => {
  const { double, own, source } = openRepository();
  double.type = "User";
  own.write("a.md", "a");
  double.repository("diary", true).write("b.md", "b");
  await source.scan();
  expect(source.paths()).toEqual(["diary/b.md", "handbook/a.md"]);
});

test("a push by force and a lost history lead to a listing", async () => {
  const { own, source } = openRepository();
  own.write("a.md", "a");
  await source.scan();
  own.change((files) => files.clear());
  own.write("b.md", "b");
  own.forget();
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["handbook/b.md"]);
});

test("a branch is read in place of the default one, and told where it is missing", async () => {
  const { own, source } = openRepository({ branch: "release/1" });
  own.write("a.md", "a");
  const { problems } = await source.reader().list(null, FOREVER);
  expect(problems).toEqual([{ path: "handbook", message: "there is no such branch" }]);
  own.branch = "release/1";
  await source.scan();
  expect(source.paths()).toEqual(["handbook/a.md"]);
});

test("an app's installation reads by a token that is renewed", async () => {
  const double = new GithubDouble();
  const own = double.repository("handbook", true);
  own.write("a.md", "a");
  const source = githubSource(double, { credentials: double.app.credentials() });
  expect(await source.reader().check(FOREVER)).toBe(
    "GitHub: the credential sees repositories of acme: 1",
  );
  await source.scan();
  double.app.expireTokens();
  expect(await textOf(source, `${own.id}:a.md`)).toBe("a");
  const broken = { ...double.app.credentials(), privateKey: "-----BEGIN secret" };
  const failure = await failureOf(githubSource(double, { credentials: broken }).scan());
  expect(failure.message).toBe("GitHub: privateKey cannot be read: paste the whole PEM file");
  const wrongCredentials = { ...double.app.credentials(), appId: 1 };
  const refusal = await failureOf(githubSource(double, { credentials: wrongCredentials }).scan());
  expect(refusal).toMatchObject({ kind: "denied", message: expect.stringContaining("app 1 with") });
});

const WAIT_MS = 900_000;

test.for<[string, (double: GithubDouble) => void, object]>([
  [
    "a limit that is used up",
    (double) => Object.assign(double, { remaining: 0, resetAt: double.now() + WAIT_MS }),
    { kind: "throttled", retryAfterMs: expect.closeTo(WAIT_MS, -4) },
  ],
  [
    "a secondary limit",
    (double) => double.fail({ path: /ref/, status: 403, headers: { "retry-after": "60" } }),
    { kind: "throttled", retryAfterMs: 60_000 },
  ],
  [
    "a secondary limit that names no time",
    (double) =>
      double.fail({
        path: /ref/,
        status: 403,
        message: "You have exceeded a secondary rate limit",
      }),
    { kind: "throttled", retryAfterMs: 60_000 },
  ],
  ["a failure", (double) => double.fail({ path: /trees/, status: 502 }), { kind: "down" }],
  ["a missing owner", (double) => double.fail({ path: /users/, status: 404 }), { kind: "denied" }],
  [
    "a missing right",
    (double) =>
      double.fail({
        path: /ref/,
        status: 403,
        message: "Resource not accessible by personal access token",
      }),
    {
      kind: "denied",
      message:
        "GitHub: 403 not accessible: the credential lacks a read permission, or the owner's approval or single sign-on",
    },
  ],
])("%s is told, and the run goes on from there", async ([, fail, expected]) => {
  const { double, own, source } = openRepository();
  own.write("a.md", "a");
  fail(double);
  expect(await failureOf(source.scan())).toMatchObject(expected);
  double.remaining = 5_000;
  await source.scan();
  expect(source.paths()).toEqual(["handbook/a.md"]);
});

test("a wrong token is told without it, and no other host is asked", async () => {
  const { double, own } = openRepository();
  own.write("a.md", "a");
  const wrong = githubSource(double, { credentials: { token: "ghp_wrong" } });
  const failure = await failureOf(wrong.scan());
  expect(failure.message).toBe("GitHub: 401: the credential is wrong, expired or revoked");
  const { fetch } = double;
  const hosts = new Set<string>();
  const link = { link: '<https://evil.example/2>; rel="next"' };
  const leading: typeof fetch = async (address, request) => {
    hosts.add(new URL(address).host);
    const answer = await fetch(address, request);
    if (!address.includes("/repos?")) return answer;
    return new Response(answer.body, {
      headers: { ...Object.fromEntries(answer.headers), ...link },
    });
  };
  const led = githubSource(Object.assign(double, { fetch: leading }));
  expect((await failureOf(led.scan())).message).toBe("GitHub: a link to another host");
  expect([...hosts]).toEqual(["api.github.example"]);
  expect(failure.message).not.toContain(TOKEN);
});

test("what vanishes between list and read is a passing failure", async () => {
  const { own, source } = openRepository({ issues: true });
  own.write("a.md", "a");
  const issue = own.issue("Gone");
  await source.scan();
  own.write("a.md", "b");
  own.forget();
  own.issues.delete(issue.number);
  for (const id of [`${own.id}:a.md`, `${own.id}#${issue.number}`]) {
    expect(await failureOf(textOf(source, id))).toMatchObject({ kind: "down" });
  }
});
