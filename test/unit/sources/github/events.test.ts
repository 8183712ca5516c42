import { expect, test } from "vitest";

import { isAboutSource } from "../../../../src/sources/github/github-events.ts";

test("events that change what is read bring a scan", async () => {
  const concerns = async (event: string) =>
    await isAboutSource(
      { header: () => event, query: () => undefined, text: async () => "not JSON" },
      {},
    );
  const changing = "push issues issue_comment pull_request repository member team public";
  for (const event of changing.split(" "))
    expect([event, await concerns(event)]).toEqual([event, true]);
  for (const event of ["ping", "star", "fork", ""]) expect(await concerns(event)).toBe(false);
});
