import { expect, test } from "vitest";

import {
  isWellFormedKey,
  isWellFormedToken,
  newAutomationKey,
  newToken,
  newWebhookSecret,
} from "../../../src/access/credential-format.ts";

test("a new token and a new key have their form, and no two are alike", () => {
  expect(newToken()).toMatch(/^qry_[0-9A-Za-z]{38}$/);
  expect(newAutomationKey()).toMatch(/^qrya_[0-9A-Za-z]{38}$/);
  expect(newWebhookSecret()).toMatch(/^qryw_[0-9A-Za-z]{38}$/);
  expect(new Set(Array.from({ length: 100 }, newToken)).size).toBe(100);
});

test("one changed, missing or added character is refused without a look-up", () => {
  const token = newToken();
  expect(isWellFormedToken(token)).toBe(true);
  for (let at = 0; at < token.length; at++) {
    const replacement = token[at] === "a" ? "b" : "a";
    expect(isWellFormedToken(token.slice(0, at) + replacement + token.slice(at + 1))).toBe(false);
  }
  expect(isWellFormedToken(token.slice(0, -1))).toBe(false);
  expect(isWellFormedToken(`${token}0`)).toBe(false);
  expect(isWellFormedToken("")).toBe(false);
});

test("a key is no token and a token is no key", () => {
  expect(isWellFormedKey(newAutomationKey())).toBe(true);
  expect(isWellFormedToken(newAutomationKey())).toBe(false);
  expect(isWellFormedKey(newToken())).toBe(false);
});
