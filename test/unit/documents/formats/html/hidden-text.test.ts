import { expect, it } from "vitest";
import { read } from "../../../../support/read-document.ts";

it("takes out what a reader cannot see, and counts it", async () => {
  const document = await read(
    "a.txt",
    "pa\u200by\u2060 \u202eevil\u202c \u{e0049}\u{e0047}now\u0007",
  );
  expect(document.markdown).toBe("pay evil now");
  expect(document.notes).toEqual(["7 invisible characters removed"]);
});

it("keeps what writing systems and emoji need", async () => {
  const text = "می‌خواهم क्‍ष 👨‍👩‍👧 ❤️ 葛\u{e0100}";
  const document = await read("a.txt", text);
  expect(document.markdown).toBe(text);
  expect(document.notes).toEqual([]);
});

it("drops soft hyphens without a word", async () => {
  expect(await read("a.txt", "Donau\u00addampf")).toMatchObject({
    markdown: "Donaudampf",
    notes: [],
  });
});

it("moves page starts with the text", async () => {
  const { markdown, pages } = await read("a.txt", "o\u200bne\ftwo\u200b\fthree");
  expect(pages.map(({ start }) => markdown.slice(start, start + 3))).toEqual(["one", "two", "thr"]);
});

it.each([
  ["an attribute", "<p hidden>x</p>"],
  ["its style", `<div style="color:red; display : none">x</div>`],
  ["invisibility", `<span style="visibility:hidden">x</span>`],
  ["no size", `<p style="font-size:0">x</p>`],
])("hides HTML by %s", async (_how, hidden) => {
  const document = await read("a.html", `<html><body><p>seen</p>${hidden}</body></html>`);
  expect(document.markdown).toBe("seen");
  expect(document.notes).toEqual(["1 hidden element removed"]);
});

it("shows what only a style sheet hides", async () => {
  const html = "<style>.a { display: none }</style><p class=a>seen</p>";
  expect(await read("a.html", html)).toMatchObject({ markdown: "seen", notes: [] });
});

it("leaves comments of Markdown out, but not those in code", async () => {
  const document = await read(
    "a.md",
    "a <!-- secret --> b\n\n```\n<!-- shown -->\n```\n`c` <!-- secret -->d",
  );
  expect(document.markdown).toBe("a  b\n\n```\n<!-- shown -->\n```\n`c` d");
  expect(document.notes).toEqual(["2 HTML comments removed"]);
});

it.each([
  ["a fence in an item", "1. a\n\n   ```html\n   <!-- x -->\n   ```\n"],
  ["a fence deep in lists", "- a\n  - b\n    - ~~~\n      <!-- x -->\n      ~~~\n"],
  ["a fence in a quote", "> ```html\n> <!-- x -->\n> ```\n"],
  ["code", "a `<!-- x -->` b"],
  ["a comment without an end", "a <!-- b\n\nc"],
  ["a hidden element", "a <i hidden>b</i>"],
])("shows %s in Markdown", async (_what, text) => {
  expect(await read("a.md", text)).toMatchObject({ markdown: text, notes: [] });
});

it("finds comments among many in passing", async () => {
  const many = "<!-- x --> <b>x ".repeat(50_000);
  const document = await read("a.md", `${many}<!-- \n\nneedle`);
  expect(document.markdown).toMatch(/^ <b>x  <b>x[^]*<!-- \n\nneedle$/);
  expect(document.notes).toEqual(["50000 HTML comments removed"]);
});

it("notes what is hidden in the HTML that a feed carries", async () => {
  const html = "&lt;p&gt;seen&lt;/p&gt;&lt;p hidden&gt;secret&lt;/p&gt;";
  const feed = `<feed><entry><summary>${html}</summary></entry></feed>`;
  const document = await read("a.xml", feed);
  expect(document.markdown).not.toContain("secret");
  expect(document.notes).toEqual(["1 hidden element removed"]);
});
