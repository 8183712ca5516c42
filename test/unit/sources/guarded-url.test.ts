import { expect, test } from "vitest";

import { guardUrl } from "../../../src/sources/guarded-url.ts";
import { INSIDE } from "../../doubles/web-site/inside-addresses.ts";

const NOT_FETCHED = [
  "file:///etc/passwd",
  "ftp://example.com/",
  "gopher://example.com/",
  "javascript:alert(1)",
  "data:text/html,x",
  "blob:http://example.com/1",
  "ws://example.com/",
  "view-source:http://a.b",
  "http://user@example.com/",
  "http://user:secret@example.com/",
  "https://:x@example.com/",
  "http://example.com@127.0.0.1/",
  "http://",
  "http:///",
  "not a url",
  "",
  "//",
  "http://[::1",
  "http://exa mple.com/",
  "a",
  `http://example.com/${"a".repeat(9_000)}`,
];

test("at least sixty ways inside are known", () => {
  expect(new Set(INSIDE).size).toBeGreaterThanOrEqual(60);
});

test.each(INSIDE)("%s is refused", (address) => {
  expect(guardUrl(address).ok).toBe(false);
});

test.each(INSIDE)("a redirect of a public page to %s is refused", (address) => {
  expect(guardUrl(address, new URL("https://example.com/page")).ok).toBe(false);
  const withoutScheme = address.slice("http:".length);
  expect(guardUrl(withoutScheme, new URL("https://example.com/page")).ok).toBe(false);
});

test.each(NOT_FETCHED)(
  "%s is never fetched, not even where private hosts are allowed",
  (address) => {
    expect(guardUrl(address).ok).toBe(false);
    expect(guardUrl(address, undefined, true).ok).toBe(false);
  },
);

test.each([
  ["https://example.com/a?b#c", "https://example.com/a?b#c"],
  ["http://EXAMPLE.com:80/a/../b", "http://example.com/b"],
  ["https://example.com./x", "https://example.com./x"],
  ["https://8.8.8.8/", "https://8.8.8.8/"],
  ["http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://internal.example.com/", "https://internal.example.com/"],
  ["https://10.example.com/", "https://10.example.com/"],
])("%s is fetched", (address, expected) => {
  expect(guardUrl(address)).toMatchObject({ ok: true, url: new URL(expected) });
});

test("even a public address is refused in an unusual notation", () => {
  for (const odd of ["http://134744072/", "http://0x08.8.8.8/", "http://8.8.2056/"]) {
    expect(guardUrl(odd).ok).toBe(false);
  }
});

test("a relative address keeps the host of its base", () => {
  const verdict = guardUrl("../b?x=1", new URL("https://8.8.8.8/a/c"));
  expect(verdict).toMatchObject({ ok: true, url: new URL("https://8.8.8.8/b?x=1") });
});

test("the switch for tests lifts the rules about hosts alone", () => {
  expect(guardUrl("http://127.0.0.1:9/", undefined, true).ok).toBe(true);
  expect(guardUrl("http://localhost/", undefined, true).ok).toBe(true);
});
