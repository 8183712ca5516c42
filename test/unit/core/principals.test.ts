import { expect, test } from "vitest";

import { principalOf, principalsOf, parsePrincipal } from "../../../src/core/principals.ts";

test.for([
  ["user:Ann@Example.com", "user:ann@example.com"],
  ["GROUP:HR", "group:hr"],
  [" domain:example.com ", "domain:example.com"],
  ["Everyone", "everyone"],
  ["user:Ame\u0301lie@example.com", "user:am\u00e9lie@example.com"],
  ["ann@example.com", null],
  ["user:", null],
  ["group:a b", null],
  ["group:gr\uFFFD\uFFFDe", null],
  ["everyone:all", null],
  [`user:${"a".repeat(316)}`, null],
] as const)("%s is the principal %s", ([text, expected]) => {
  expect(principalOf(text)).toBe(expected);
});

test("a reader is in by address, domain and groups; each principal counts once", () => {
  const reader = { user: "Ann@Example.com", groups: ["HR@example.com", "hr@example.com", ""] };
  expect(principalsOf(reader)).toEqual([
    "user:ann@example.com",
    "domain:example.com",
    "everyone",
    "group:hr@example.com",
  ]);
  expect(principalsOf({ user: "ann", groups: [] })).toEqual(["user:ann", "everyone"]);
  // A guest of a Microsoft tenant, who is none of its people.
  const user = "ann_partner.example#ext#@contoso.example";
  expect(principalsOf({ user, groups: [] })).toEqual([`user:${user}`, "everyone"]);
});

test.for([
  ["domain:Example.com", "domain:example.com"],
  ["domain:@example.com", null],
  ["user:ann", null],
  ["group:a@b@c", "group:a@b@c"],
  ["everyone", "everyone"],
  ["ann", null],
] as const)("a person who writes %s means %s", ([text, expected]) => {
  expect(parsePrincipal(text)).toBe(expected);
});
