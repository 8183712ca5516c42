import { expect, it } from "vitest";

import { extract, reads } from "../../../../support/read-document.ts";

const EMOJI = "می‌خواهم क्‍ष 👨‍👩‍👧 ❤️ 葛\u{e0100}";

reads("a.txt", {
  "takes out what a reader cannot see, and counts it": [
    "pa\u200by\u2060 \u202eevil\u202c \u{e0049}\u{e0047}now\u0007",
    "pay evil now",
    "7 invisible characters removed",
  ],
  "keeps what writing systems and emoji need": [EMOJI, EMOJI],
  "drops soft hyphens without a word": ["Donau\u00addampf", "Donaudampf"],
});

it("moves page starts with the text", async () => {
  const { markdown, pages } = await extract("a.txt", "o\u200bne\ftwo\u200b\fthree");
  expect(pages.map(({ start }) => markdown.slice(start, start + 3))).toEqual(["one", "two", "thr"]);
});

const testCase = (markup: string): [string, string, string] => [
  `<html><body><p>seen</p>${markup}</body></html>`,
  "seen",
  "1 hidden element removed",
];
reads("a.html", {
  "hides HTML by an attribute": testCase("<p hidden>x</p>"),
  "hides HTML by its style": testCase(`<div style="color:red; display : none">x</div>`),
  "hides HTML by invisibility": testCase(`<span style="visibility:hidden">x</span>`),
  "hides HTML by no size": testCase(`<p style="font-size:0">x</p>`),
  "shows what a button in a heading opens": [
    "<h3><button aria-expanded=false aria-controls='a b'>How?</button></h3><div id=a hidden>So.</div><div id=b hidden>Or so.</div>",
    "### How?\n\nSo.\n\nOr so.",
  ],
  "hides what a button that opens nothing does not name": [
    "<h3><button aria-expanded=false aria-controls=''>How?</button></h3><p hidden>x</p>",
    "### How?",
    "1 hidden element removed",
  ],
  "shows what only a style sheet hides": [
    "<style>.a { display: none }</style><p class=a>seen</p>",
    "seen",
  ],
});

const unchanged = (text: string): [string, string] => [text, text];
reads("a.md", {
  "leaves comments of Markdown out, but not those in code": [
    "a <!-- secret --> b\n\n```\n<!-- shown -->\n```\n`c` <!-- secret -->d",
    "a  b\n\n```\n<!-- shown -->\n```\n`c` d",
    "2 HTML comments removed",
  ],
  "shows a fence in an item": unchanged("1. a\n\n   ```html\n   <!-- x -->\n   ```\n"),
  "shows a fence deep in lists": unchanged("- a\n  - b\n    - ~~~\n      <!-- x -->\n      ~~~\n"),
  "shows a fence in a quote": unchanged("> ```html\n> <!-- x -->\n> ```\n"),
  "shows code": unchanged("a `<!-- x -->` b"),
  "shows a comment without an end": unchanged("a <!-- b\n\nc"),
  "shows a hidden element": unchanged("a <i hidden>b</i>"),
  "finds comments among many in passing": [
    `${"<!-- x --> <b>x ".repeat(50_000)}<!-- \n\nneedle`,
    /^ <b>x  <b>x[^]*<!-- \n\nneedle$/,
    "50000 HTML comments removed",
  ],
});

it("notes what is hidden in the HTML that a feed carries", async () => {
  const html = "&lt;p&gt;seen&lt;/p&gt;&lt;p hidden&gt;secret&lt;/p&gt;";
  const feed = `<feed><entry><summary>${html}</summary></entry></feed>`;
  const document = await extract("a.xml", feed);
  expect(document.markdown).not.toContain("secret");
  expect(document.notes).toEqual(["1 hidden element removed"]);
});
