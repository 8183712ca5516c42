import { expect, test } from "vitest";

import {
  addressAfterSignIn,
  signInAddress,
} from "../../../src/access/sessions/address-after-sign-in.ts";
import { isSameOrigin } from "../../../src/access/sessions/same-origin.ts";

test.for([
  ["/panel/rags?page=2", "/panel/rags?page=2"],
  ["/authorize?client_id=a&state=b%26c", "/authorize?client_id=a&state=b%26c"],
  ["/authorize/elsewhere", "/panel"],
  ["/panel/sign-in", "/panel"],
  ["/panelled", "/panel"],
  ["/api/rags", "/panel"],
  ["//evil.example/panel", "/panel"],
  ["/\\evil.example/authorize", "/panel"],
  ["https://evil.example/authorize", "/panel"],
  ["javascript:alert(1)//panel", "/panel"],
  ["/panel/../api/rags", "/panel"],
  [undefined, "/panel"],
])("Signing in for %s leads to %s", ([next, leads]) => {
  expect(addressAfterSignIn(next)).toBe(leads);
});

test("The sign-in page is told the whole address to come back to", () => {
  const { searchParams } = new URL(signInAddress("/authorize?a=1&b=2"), "http://here");
  expect(searchParams.get("next")).toBe("/authorize?a=1&b=2");
});

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
