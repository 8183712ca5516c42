import { expect, test } from "vitest";

import { readerName } from "../../../src/access/readers.ts";
import { NAMED } from "../../../src/core/principals.ts";
import { readFileHeaders } from "../../../src/panel/api/request/sent-file.ts";

const KIB_16 = "x".repeat(16 * 1_024 - 3);
const groups = (count: number) => Array.from({ length: count }, (_, at) => at).join(",");
const SIZE = /at most 16 KiB/;
const COUNT = /at most 1000 groups/;
const ADDRESS = /a person's address/;
const UTF_8 = /percent-encoded UTF-8/;

test.for<[string, string, string | null, string | RegExp]>([
  ["16 KiB", "a@b", KIB_16, "a@b"],
  ["a character more", "a@b", `${KIB_16}x`, SIZE],
  ["1,000 groups", "a@b", groups(1_000), "a@b"],
  ["a group more", "a@b", groups(1_001), COUNT],
  ["names that are empty", "a@b", ` ,${groups(1_000)},,`, "a@b"],
  ["percent-encoding", "%C3%A4nn%40example.com", "%C3%A4", "\u00e4nn@example.com"],
  ["bytes that are no UTF-8", "a@b", "%C3", UTF_8],
  ["half an escape", "ann%4", null, UTF_8],
  ["nobody", "", null, ADDRESS],
  ["a blank", "%20", null, ADDRESS],
  ["two people", "ann@example.com, bob@example.com", null, ADDRESS],
  ["a name without a domain", "ann", null, ADDRESS],
  ["a domain alone", "@", null, ADDRESS],
  ["two domains", "a@b@c", null, ADDRESS],
  ["a principal", "user:ann@example.com", null, ADDRESS],
  ["a group as a principal", "a@b", "hr,group:staff", /without group:/],
])("the headers of a reader with %s", ([, header, groupsHeader, expected]) => {
  const name = () => readerName({ reader: NAMED, groups: [], header, groupsHeader });
  if (typeof expected === "string") expect(name()).toBe(expected);
  else expect(name).toThrow(expected);
});

const many = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, at) => `group:${at}`));
const RULE = /X-File-Readers must be a JSON list of at most 1000 /;

test.for<[string, string, string[] | RegExp]>([
  ["nobody", "[]", []],
  ["each once", '["user:Ann@x.org", "GROUP:HR", "user:ann@x.org"]', ["group:hr", "user:ann@x.org"]],
  ["letters with their marks apart", '["user:Ame\u0301lie@x.org"]', ["user:am\u00e9lie@x.org"]],
  ["320 characters", `["user:${"a".repeat(313)}@x"]`, [`user:${"a".repeat(313)}@x`]],
  ["321 characters", `["user:${"a".repeat(314)}@x"]`, RULE],
  ["no address", '["user:"]', RULE],
  ["a name for an address", '["user:ann"]', RULE],
  ["no kind", '["ann@x.org"]', RULE],
  ["no list", '"everyone"', RULE],
  ["no JSON", "user:ann@x.org", RULE],
  ["1,001 principals", many(1_001), RULE],
  ["10,000 principals", many(10_000), RULE],
])("X-File-Readers with %s", ([, header, expected]) => {
  const readers = () =>
    readFileHeaders((name) => (name === "X-File-Readers" ? header : null), "a.md").readers;
  if (Array.isArray(expected)) expect(readers()).toEqual(expected);
  else expect(readers).toThrow(expected);
});
