import { describe, expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

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
  const text = "می‌خواهم क्‍ष 👨‍👩‍👧 ❤️ 葛\u{e0100}";
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

describe("hidden HTML in Markdown", () => {
  it.each([
    ["a span in its line", 'a <span style="display:none">secret</span>b', "a b"],
    ["a block over paragraphs", "a\n\n<div hidden>\n\nsecret\n\n</div>\nb", "a\n\n\nb"],
    ["a block with another inside", "a\n<div hidden>\n<div>x</div>\nsecret\n</div>\nb", "a\n\nb"],
    ["a block in a line, where it is closed in its paragraph", "a <div hidden>x</div> b", "a  b"],
    ["a block in an item", "- a\n\n    <div hidden>\n\n  secret\n\n  </div>b", "- a\n\n    b"],
    ["a block in a quote", "> <div hidden>\n>\n> secret\n> </div>b", "> b"],
    ["a span with a comment inside", "a <i hidden>x <!-- secret --> x</i>b", "a b"],
  ])("is left out and counted: %s", async (_what, text, markdown) => {
    const document = await extract(text, "a.md");
    expect(document.markdown).toBe(markdown);
    expect(document.notes).toEqual(["1 hidden element removed"]);
  });

  it.each([
    ["code", "a `<div hidden>` b"],
    ["a fence", "```html\n<div hidden>\nx\n</div>\n```"],
    ["a fence in an item", "1. a\n\n   ```html\n   <!-- x -->\n   <div hidden>y</div>\n   ```\n"],
    ["a fence deep in lists", "- a\n  - b\n    - ~~~\n      <!-- x -->\n      ~~~\n"],
    ["a fence in a quote", "> ```html\n> <!-- x -->\n> ```\n"],
    ["a block that is never closed", "a\n\n<section hidden>\nb\n\nc"],
    ["a span that its paragraph does not close", "a <b hidden>b\n\nc</b>"],
    ["prose that names an element", "Write <section hidden> in it.\n\nb\n\n</section> ends it."],
    ["an element without content", "a <br hidden> <img style='display:none' alt=x> b"],
    ["what is not hidden", '<div style="color: red" data-x="hidden">a</div>'],
  ])("is shown where it is %s", async (_what, text) => {
    expect(await extract(text, "a.md")).toMatchObject({ markdown: text, notes: [] });
  });

  it("is found among many in passing", async () => {
    const many = "<i hidden>x</i> <b>x ".repeat(50_000);
    const document = await extract(`${many}<!-- \n\nneedle`, "a.md");
    expect(document.markdown).toContain("needle");
    expect(document.markdown).not.toContain("hidden");
  });
});

it("notes what is hidden in the HTML that a feed carries", async () => {
  const html = "&lt;p&gt;seen&lt;/p&gt;&lt;p hidden&gt;secret&lt;/p&gt;";
  const feed = `<feed><entry><summary>${html}</summary></entry></feed>`;
  const document = await extract(feed, "a.xml");
  expect(document.markdown).not.toContain("secret");
  expect(document.notes).toEqual(["1 hidden element removed"]);
});
