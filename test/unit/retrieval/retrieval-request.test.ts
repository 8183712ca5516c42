import { expect, test } from "vitest";

import { planSearch, restrictionTo } from "../../../src/retrieval/retrieval-request.ts";
import { requestOf } from "../../support/retrieval-requests.ts";

const namesFor = (files: string[], folders: string[] = []) =>
  restrictionTo({ useAllFiles: false, files, folders }).named;

test("a name of another Unicode form is looked for as it is stored, and as it is", () => {
  expect(namesFor(["U\u0308ber.md"], ["Ho\u0308fe/"])).toEqual({
    files: ["U\u0308ber.md", "\u00dcber.md"],
    folders: ["Ho\u0308fe/", "H\u00f6fe/"],
  });
  expect(namesFor(["plain.md"])?.files).toEqual(["plain.md"]);
});

test.each([
  "HTTPS://Docs.Example.COM/guide/a%20b",
  "https://docs.example.com:443/guide/a b",
  "https://docs.example.com/guide/../guide/a b#part",
  "https://user:secret@docs.example.com/guide/a b",
])("%s names the address that is stored", (name) => {
  expect(namesFor([name])?.files).toContain("https://docs.example.com/guide/a%20b");
});

test("an international host and a tracked link name the page that was crawled", () => {
  expect(namesFor(["https://b\u00fccher.example/?utm_source=mail"])?.files).toContain(
    "https://xn--bcher-kva.example/",
  );
});

test("queries are joined once each, and long ones by their beginnings", () => {
  const joinedText = (...queries: string[]) =>
    planSearch(requestOf([], { queries }), false).searched.slice(queries.length);
  expect(joinedText("leave")).toEqual([]);
  expect(joinedText("leave", "leave")).toEqual(["leave"]);
  const [long = ""] = joinedText("a".repeat(3_000), "b".repeat(20_000), "leave");
  expect([long.length, long.at(0), long.at(-7)]).toEqual([8_467, "a", "b"]);
});

test("of characters that stand for many, no more are searched than of others", () => {
  const uneven = `${"\ufdfa".repeat(3_000)}${"a".repeat(20_000)}`;
  for (const query of ["\ufdfa".repeat(20_000), uneven]) {
    const [text = ""] = planSearch(requestOf([], { queries: [query] }), false).searched;
    expect(text.normalize("NFKC").length).toBeLessThanOrEqual(16_384);
    expect(text.normalize("NFKC").length).toBeGreaterThan(15_000);
  }
  const [korean = ""] = planSearch(
    requestOf([], { queries: ["\ud734\uac00".repeat(9_000)] }),
    false,
  ).searched;
  expect(korean).toHaveLength(16_384);
});
