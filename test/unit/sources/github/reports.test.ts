import { expect, test } from "vitest";
import { z } from "zod";

import type { ListingPage, ReaderStore } from "../../../../src/ports/source-reader.ts";
import { readJson } from "../../../../src/sources/scan-state.ts";
import { GithubDouble } from "../../../doubles/github/github-double.ts";
import { githubSource, openRepository } from "../../../doubles/github/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";
import { principalsIn } from "../../../support/principals-in.ts";

/* Situations from public reports about connectors of other makers. */

test("the first listing of issues names no time: GitHub answers none since 1970", async () => {
  // https://github.com/airbytehq/airbyte/pull/85376
  const { double, own, source } = openRepository({ issues: true });
  own.issue("One");
  await source.scan();
  expect(double.requests.filter((each) => each.includes("since="))).toEqual([]);
});

test("a check under a rate limit is told as one, and not as a wrong credential", async () => {
  // https://github.com/onyx-dot-app/onyx/pull/4173
  const { double, own, source } = openRepository();
  own.write("a.md", "a");
  Object.assign(double, { remaining: 0, resetAt: double.now() + 60_000 });
  expect(await failureOf(source.reader().check(FOREVER))).toMatchObject({ kind: "throttled" });
  Object.assign(double, { remaining: 9 });
  double.fail({ path: /./, status: 403, message: "You have triggered an abuse detection" });
  expect(await failureOf(source.reader().check(FOREVER))).toMatchObject({ kind: "throttled" });
});

test("a commit that vanishes while it is listed is a passing failure", async () => {
  const { double, own, source } = openRepository();
  own.write("a.md", "a");
  double.fail({ path: /trees/, status: 404 });
  expect(await failureOf(source.scan())).toMatchObject({ kind: "down" });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["handbook/a.md"]);
});

test("a commit that is never there ends the listing, however many pages it has", async () => {
  const { double, own, source } = openRepository();
  own.write("a.md", "a");
  for (let nth = 0; nth < 20; nth++) double.repository(`empty${nth}`);
  double.repository("broken").write("b.md", "b");
  double.fail({ path: /broken\/git\/trees/, status: 404, times: 9 });
  expect(await failureOf(source.scan())).toMatchObject({ kind: "down" });
});

test("a blob that is refused fails alone", async () => {
  // https://github.com/run-llama/llama_index/issues/6481
  const { double, own, source } = openRepository();
  own.write("a.md", "a");
  own.write("b.bin", "\u0000\u0001");
  await source.scan();
  double.fail({ path: /blobs/, status: 403, message: "Repository access blocked" });
  expect(await failureOf(textOf(source, `${own.id}:a.md`))).toMatchObject({ kind: "denied" });
  // https://github.com/arc53/DocsGPT/pull/1337
  expect(await textOf(source, `${own.id}:b.bin`)).toBe("\u0000\u0001");
});

test("a repository that GitHub blocked keeps no other from being read", async () => {
  // https://github.com/bors-ng/bors-ng/pull/462
  const { double, own, source } = openRepository({ issues: true });
  own.write("a.md", "a");
  double.repository("other").write("b.md", "b");
  const message = "Repository access blocked";
  double.fail({ path: /repos\/[^/]+\/handbook\//, status: 403, message, times: 9 });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["other/b.md"]);
});

test("a default branch of another name is read", async () => {
  // https://github.com/run-llama/llama_index/issues/17903
  const { own, source } = openRepository();
  own.branch = "trunk/docs";
  own.write("a.md", "a");
  await source.scan();
  expect(fileOf(source, `${own.id}:a.md`).path).toBe("handbook/a.md");
});

test("repositories of a large owner are listed by a hundred and asked in turn", async () => {
  // https://github.com/airbytehq/airbyte/issues/19272
  // https://github.com/sourcebot-dev/sourcebot/issues/64
  const double = new GithubDouble();
  for (let at = 0; at < 130; at++) double.repository(`r${at}`).write("a.md", `${at}`);
  let atOnce = 0;
  let most = 0;
  const { fetch } = double;
  const counting: typeof fetch = async (address, request) => {
    most = Math.max(most, ++atOnce);
    const answer = await fetch(address, request);
    atOnce--;
    return answer;
  };
  Object.assign(double, { fetch: counting });
  const source = githubSource(double);
  await source.scan();
  expect(source.paths()).toHaveLength(130);
  expect(most).toBe(1);
  double.requests.length = 0;
  await source.scan();
  expect(double.requests).toHaveLength(3 + 130);
});

test("a page that is read again after a crash lists the same", async () => {
  const double = new GithubDouble();
  double.repository("empty");
  for (let at = 0; at < 9; at++) double.repository(`r${at}`).write(`${at}.md`, `${at}`);
  const source = githubSource(double);
  let cursor: string | null = null;
  const paths: string[] = [];
  do {
    const first: ListingPage = await source.reader().list(cursor, FOREVER);
    if (cursor !== null) expect(await source.reader().list(cursor, FOREVER)).toEqual(first);
    paths.push(...first.files.map(({ path }) => path));
    cursor = first.next;
  } while (cursor !== null);
  expect(paths).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((at) => `r${at}/${at}.md`));
});

test("a run without permissions that is given up late lets nobody in", async () => {
  const double = new GithubDouble();
  double.repository("empty");
  for (let at = 0; at < 9; at++) double.repository(`r${at}`, true).write(`${at}.md`, `${at}`);
  const [before, source] = [githubSource(double), githubSource(double, {}, true)];
  const { next } = await source.reader().list(null, FOREVER);
  await before.reader().list(null, FOREVER);
  for (const [key, bytes] of before.store.entries) await source.store.write(key, bytes);
  const page = await source.reader().list(next, FOREVER);
  for (const { readers } of page.files) expect(principalsIn(readers)).toEqual([]);
  expect(page.restarted).toBe(true);
});

async function cursorOf({ store }: { store: ReaderStore }): Promise<string> {
  const state = await readJson(store, "repositories.json", z.object({ cursor: z.string() }));
  return state?.cursor ?? "";
}

test("a branch that is renamed during a scan removes nothing", async () => {
  const { double, own, source } = openRepository();
  own.write("a.md", "a");
  await source.scan();
  double.fail({ path: /ref/, status: 404, times: 2 });
  expect(await source.reader().follow(await cursorOf(source), null, FOREVER)).toBe(null);
  expect(await source.reader().list(null, FOREVER)).toMatchObject({ partial: true, deleted: [] });
});

test("a repository that is renamed while its issues are listed loses none", async () => {
  const { double, own, source } = openRepository({ issues: true });
  double.pageSize = 1;
  own.issue("One");
  own.issue("Two");
  await source.scan();
  double.fail({ path: /issues$/, status: 301 });
  expect(await failureOf(source.reader().list(null, FOREVER))).toMatchObject({ kind: "down" });
});
