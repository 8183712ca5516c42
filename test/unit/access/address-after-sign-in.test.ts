import { expect, test } from "vitest";

import {
  addressAfterSignIn,
  signInAddress,
} from "../../../src/access/sessions/address-after-sign-in.ts";

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
])("Signing in for %s leads to %s", ([wanted, leads]) => {
  expect(addressAfterSignIn(wanted)).toBe(leads);
});

test("The sign-in page is told the whole address to come back to", () => {
  const { searchParams } = new URL(signInAddress("/authorize?a=1&b=2"), "http://here");
  expect(searchParams.get("next")).toBe("/authorize?a=1&b=2");
});
