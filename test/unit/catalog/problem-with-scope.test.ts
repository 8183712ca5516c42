import { expect, test } from "vitest";

import { problemWithScope, storedScope } from "../../../src/catalog/rags/scope-values.ts";

const path = (value: string) => ({ type: "path" as const, value });

test.each(["a", "a/", "a/b/c.md", "Ordner mit Leerzeichen/", "...", "a/.hidden"])(
  "%j is a good path",
  (value) => {
    expect(problemWithScope("file_system", path(value))).toBeNull();
  },
);

test.each([
  ["", "is required"],
  ["/", "must be relative, without a leading /"],
  ["/a", "must be relative, without a leading /"],
  ["a//b", "must not have an empty segment"],
  ["a//", "must not have an empty segment"],
  ["../a", "must not have a . or .. segment"],
  ["a/../", "must not have a . or .. segment"],
  ["./a", "must not have a . or .. segment"],
  ["a\nb", "must not contain control characters"],
  ["x".repeat(2_049), "must have at most 2048 characters"],
])("%j is refused", (value, problem) => {
  expect(problemWithScope("object_storage", path(value))).toBe(problem);
});

test("a web source's path is a URL", () => {
  expect(problemWithScope("web", path("https://example.com/docs/"))).toBeNull();
  const problem = "must be an http or https URL";
  expect(problemWithScope("web", path("docs/"))).toBe(problem);
  expect(problemWithScope("web", path("ftp://example.com/"))).toBe(problem);
});

test("an external id is whatever the provider calls it", () => {
  expect(problemWithScope("cloud_drive", { type: "externalId", value: "/1A-b_C" })).toBeNull();
  expect(problemWithScope("cloud_drive", { type: "externalId", value: "" })).toBe("is required");
});

test.each([
  ["U\u0308bersicht/", "\u00dcbersicht/"],
  ["HTTPS://Example.COM:443/a/../docs/#part", "https://example.com/docs/"],
  ["https://user:secret@b\u00fccher.example/a b", "https://xn--bcher-kva.example/a%20b"],
])("%j is stored as %j", (value, expected) => {
  expect(storedScope(path(value))).toEqual(path(expected));
  const id = { type: "externalId" as const, value };
  expect(storedScope(id)).toEqual(id);
});
