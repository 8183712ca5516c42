import { expect, it } from "vitest";
import { extractDocument } from "../../../src/ingestion/extractors/extract-document.ts";

const extract = (text: string, name = "a.txt") =>
  extractDocument({ name, mimeType: null, bytes: new TextEncoder().encode(text) });

it("takes out what a reader cannot see, and counts it", async () => {
  const document = await extract("pa\u200by\u2060 \u202eevil\u202c \u{e0049}\u{e0047}now\u0007");
  expect(document.markdown).toBe("pay evil now");
  expect(document.notes).toEqual([
    "2 zero-width characters removed",
    "2 bidirectional controls removed",
    "2 tag characters removed",
    "1 control character removed",
  ]);
});

it("keeps what writing systems and emoji need", async () => {
  const text =
    "می‌خواهم क्‍ष 👨‍👩‍👧 ❤️ 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 葛\u{e0100}";
  const document = await extract(text);
  expect(document.markdown).toBe(text);
  expect(document.notes).toEqual([]);
});

it("drops soft hyphens without a word", async () => {
  expect(await extract("Donau\u00addampf")).toMatchObject({ markdown: "Donaudampf", notes: [] });
});

it("moves page starts with the text", async () => {
  const { markdown, pages } = await extract("o\u200bne\ftwo\u200b\fthree");
  expect(pages.map(({ start }) => markdown.slice(start, start + 3))).toEqual(["one", "two", "thr"]);
});

it.each([
  ["an attribute", "<p hidden>x</p>"],
  ["its style", `<div style="color:red; display : none">x</div>`],
  ["invisibility", `<span style="visibility:hidden">x</span>`],
  ["no size", `<p style="font-size:0">x</p>`],
  [
    "a class of the style sheet",
    `<style>.a, .b{display:none!important}</style><p class="c b">x</p>`,
  ],
])("hides HTML by %s", async (_how, hidden) => {
  const document = await extract(`<html><body><p>seen</p>${hidden}</body></html>`, "a.html");
  expect(document.markdown).toBe("seen");
  expect(document.notes).toEqual(["1 hidden element removed"]);
});

it("shows what only a narrow screen hides", async () => {
  const html = "<style>@media (max-width: 1px) { .a { display: none } }</style><p class=a>seen</p>";
  expect((await extract(html, "a.html")).markdown).toBe("seen");
});

it("leaves comments of Markdown out, but not those in code", async () => {
  const document = await extract("a <!-- secret --> b\n\n```\n<!-- shown -->\n```\n", "a.md");
  expect(document.markdown).toBe("a  b\n\n```\n<!-- shown -->\n```\n");
  expect(document.notes).toEqual(["1 HTML comment removed"]);
});
