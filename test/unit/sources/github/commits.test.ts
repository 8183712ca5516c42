import { expect, test } from "vitest";

import { githubSource, openRepository } from "../../../doubles/github/scanning.ts";
import { textOf } from "../../../doubles/source/simulated-scans.ts";

test("a scan reads one commit of a repository, whatever is pushed meanwhile", async () => {
  const { double, own } = openRepository();
  own.treeLimit = 3;
  const paths = ["a/1.md", "a/2.md", "b/1.md", "b/2.md"];
  const write = (content: string) =>
    own.change((files) => {
      for (const path of paths) files.set(path, { content, mode: "100644" });
    });
  write("first");
  const { fetch } = double;
  const pushing: typeof fetch = async (address, request) => {
    const answer = await fetch(address, request);
    if (/git\/(ref|trees)/.test(address)) write(`pushed ${own.commits.size}`);
    return answer;
  };
  const source = githubSource(Object.assign(double, { fetch: pushing }));
  for (let scans = 0; scans < 2; scans++) {
    await source.scan();
    const files = [...source.files].map(async ([id, { url }]) => {
      const [, sha = "", path = ""] = /blob\/(\w+)\/(.*)/.exec(url ?? "") ?? [];
      return [await textOf(source, id), own.commits.get(sha)?.get(path)?.content];
    });
    const texts = (await Promise.all(files)).flat();
    expect(texts).toHaveLength(8);
    expect(new Set(texts).size).toBe(1);
  }
});
