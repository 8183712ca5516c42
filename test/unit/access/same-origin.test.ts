import { expect, test } from "vitest";

import { isSameOrigin } from "../../../src/access/sessions/same-origin.ts";

const judge = (headers: Record<string, string>, baseUrl = "https://quarry.example") =>
  isSameOrigin(new Request("https://quarry.example/x", { method: "POST", headers }), baseUrl);

test.each([
  ["our own origin", { Origin: "https://quarry.example" }, true],
  ["a same-origin fetch", { "Sec-Fetch-Site": "same-origin" }, true],
  ["neither header", {}, false],
  ["another host", { Origin: "https://evil.example" }, false],
  ["another scheme", { Origin: "http://quarry.example" }, false],
  ["another port", { Origin: "https://quarry.example:8443" }, false],
  ["an opaque origin", { Origin: "null" }, false],
  ["a sibling site", { "Sec-Fetch-Site": "same-site" }, false],
  ["an address typed in", { "Sec-Fetch-Site": "none" }, false],
])("%s", (_name, headers: Record<string, string>, expected) => {
  expect(judge(headers)).toBe(expected);
});

test("a path in the base address does not count", () => {
  const headers = { Origin: "https://quarry.example" };
  expect(judge(headers, "https://quarry.example/behind/a/proxy")).toBe(true);
});
