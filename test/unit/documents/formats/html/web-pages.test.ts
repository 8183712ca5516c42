import { describe, expect, it } from "vitest";

import { extract } from "../../../../support/read-document.ts";

const markdownOf = async (body: string) => (await extract("a.html", body)).markdown;

describe("what leads around a site is left out", () => {
  const text = "<p>Oil the hinge in May.</p>";

  it.each([
    ["DocBook's header", `<div class="navheader"><table><tr><td>Prev<td>Chapter 2</table></div>`],
    ["Javadoc's bars", `<div class="subNav"><ul class="navList"><li>Frames</ul></div>`],
    ["a list of languages", `<div class="toplang"><p>Languages: <a href=fr>fr</a></div>`],
    ["a dialog", `<div role="dialog"><p>We use cookies.</p></div>`],
    ["a link to the content", `<a href="#content">Skip to main content</a>`],
    ["one that only its class tells", `<a class="skip-link" href="#c">Ir al artículo</a>`],
    ["one in German", `<div><a href="#inhalt">Zum Inhalt springen</a></div>`],
    ["a footer that is no element", `<div id="footer"><p>Copyright 2020</div>`],
  ])("%s", async (_name, around) => {
    expect(await markdownOf(`<body>${around}${text}${around}</body>`)).toBe(
      "Oil the hinge in May.",
    );
  });

  it("what stands around main, but for a title that is missing in it", async () => {
    const around = "<ul><li><a href=o>Our newest offer</a><li><a href=t>Two for one</a></ul>";
    const long =
      "<p>Oil the hinge in May, and once more in September, before it freezes; grease does not do.</p>";
    const header = "<header><h1>Doors</h1></header>";
    const plain =
      "Oil the hinge in May, and once more in September, before it freezes; grease does not do.";
    const page = (main: string) => `<body>${header}${around}<main>${main}${long}</main></body>`;
    expect(await markdownOf(page(""))).toBe(`# Doors\n\n${plain}`);
    expect(await markdownOf(page("<h1>Hinges</h1>"))).toBe(`# Hinges\n\n${plain}`);
  });

  it("an aside next to main, unless it has a telephone number, and a note says so", async () => {
    const main = `<main><h1>Doors</h1>${text.repeat(30)}</main>`;
    const bio = "<h2>About us</h2><p>We have written about hinges for many years. </p>".repeat(4);
    const { markdown, notes } = await extract("a.html", `<body>${main}<aside>${bio}</aside>`);
    expect(markdown).not.toContain("About us");
    expect(notes).toEqual(["text outside the main part left out"]);
    expect(await markdownOf(`<body>${main}<aside>Call 0800 1234</aside>`)).toContain("0800 1234");
  });

  it("nothing of a page whose main is a small part of it", async () => {
    const html = `<body><main><p>Welcome.</p></main><p>Oil the hinge in May, and the lock as well.`;
    expect(await markdownOf(html)).toBe("Welcome.\n\nOil the hinge in May, and the lock as well.");
  });

  it("no chapter that is about menus, and no box of an author", async () => {
    const html = `<body><p>Intro</p><section id="menu"><h2>Menu</h2>${text}</section>
      <div class="section" id="navigation"><h2>Navigation</h2>${text}</div>
      <article><div class="sidebar">${text}</div></article></body>`;
    expect(await markdownOf(html)).toBe(
      "Intro\n\n## Menu\n\nOil the hinge in May.\n\n## Navigation\n\nOil the hinge in May.\n\nOil the hinge in May.",
    );
  });
});

describe("content stays, wherever it stands and whatever its element is called", () => {
  const text = "Oil the hinge in May, and once more in September, before it freezes. "
    .repeat(6)
    .trim();
  const links = "<ul><li><a href=a>All our locks</a><li><a href=b>All our doors</a></ul>";

  it("beside main: sentences, tables and who wrote it, without lists of links", async () => {
    const html = `<body>
      <header>${links}<h1>Law 5</h1><p>By Jane Doe</p><p class="lead">Repealed by Law 7 of 2024.</p></header>
      <main><p>${text}</p></main>
      <aside><p>Phone 0800 1234</p>${links}</aside><p>See <a href=l>Law 7 of 2024</a></p>
      <div>${links}<h2>Annex</h2><table><tr><th>Fee<th>Euro<tr><td>A<td>50</table></div></body>`;
    expect(await markdownOf(html)).toBe(
      `# Law 5\n\nBy Jane Doe\n\nRepealed by Law 7 of 2024.\n\n${text}\n\nPhone 0800 1234\n\nSee Law 7 of 2024\n\n## Annex\n\n| Fee | Euro |\n| --- | --- |\n| A | 50 |`,
    );
  });

  it("what is left out beside main is said, unless it is little or links", async () => {
    const labels = Array.from(
      { length: 15 },
      (_unused, at) => `<li>${at} of the locks <a href=${at}>Lock of the front door ${at}</a>`,
    ).join("");
    const page = (beside: string) => `<body><main><p>${text.repeat(3)}</main>${beside}`;
    expect((await extract("a.html", page(`<ul>${labels}</ul>`))).notes).toEqual([
      "text outside the main part left out",
    ]);
    expect((await extract("a.html", page(links))).notes).toEqual([]);
  });

  const examples: Record<string, [html: string, markdown: string]> = {
    "a canteen's menu": [
      `<section class="menu"><h2>Starters</h2><p>Soup 6.50</p></section>`,
      "## Starters\n\nSoup 6.50",
    ],
    "its table": [
      `<table class="menu"><tr><th>Monday<td>Lasagne</table>`,
      "| Monday | Lasagne |\n| --- | --- |",
    ],
    "its list": [`<ul role="menu"><li>Soup</li></ul>`, "- Soup"],
    "a fund's value": [`<div class="nav">NAV 15.20</div>`, "NAV 15.20"],
    "a menu whose dishes are links": [
      `<article><ul class="menu"><li><a href=m>Minestrone</a> 6.50</ul></article>`,
      "- Minestrone 6.50",
    ],
    "a dialog": [`<div role="dialog">Shall I delete it?</div>`, "Shall I delete it?"],
    "a quotation's source": [
      `<blockquote><p>To be.</p><footer>Shakespeare</footer></blockquote>`,
      "> To be.\n\n> Shakespeare",
    ],
    "a section's foot": [
      `<section><p>To be.</p><footer>Case number 4711</footer></section>`,
      "To be.\n\nCase number 4711",
    ],
    authors: [
      `<p><a href=a>Alice Smith</a> | <a href=b>Bob Jones</a></p>`,
      "Alice Smith | Bob Jones",
    ],
    steps: [`<p><a href=a>Settings</a> &gt; <a href=b>Proxy</a></p>`, "Settings > Proxy"],
    downloads: [
      `<p>[<a href=a>Report 2024</a>] [<a href=b>Report 2023</a>]</p>`,
      "[Report 2024] [Report 2023]",
    ],
    "a question that opens": [`<h2><button>How do I oil it?</button></h2>`, "## How do I oil it?"],
    "a term that opens": [
      `<dl><dt><button>Hinge</button><dd>Holds the door.</dl>`,
      "- Hinge\n   - Holds the door.",
    ],
    "what an element shows instead of its children": [
      `<my-fee><template shadowrootmode="open"><p>Fee: 40 euros.</p></template></my-fee>`,
      "Fee: 40 euros.",
    ],
    "a long choice": [
      `<button>The lock that opens without a key at all</button>`,
      "The lock that opens without a key at all",
    ],
  };

  it.each(Object.entries(examples))("%s", async (_name, [html, markdown]) => {
    for (const [before, after] of [
      ["<main>", "</main>"],
      ["", ""],
    ]) {
      if (html.includes("dialog") && before === "") continue;
      const page = `<body>${before}<h1>Doors</h1>${html}<p>${text}</p>${after}`;
      expect(await markdownOf(page)).toBe(`# Doors\n\n${markdown}\n\n${text}`);
    }
  });

  it.each([
    ["a.xhtml", null, ""],
    ["a", "application/xhtml+xml", ""],
    ["a.html", null, '<?xml version="1.0"?>'],
    ["a.html", null, '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'],
  ])("what follows elements of XHTML that close in themselves: %s %s %s", async (...page) => {
    const [name, mimeType, prolog] = page;
    const html = `${prolog}<html><head><title/><script src="a.js"/></head><body><iframe/><p>Oil it.</p>`;
    expect(await extract(name, html, mimeType)).toMatchObject({ markdown: "Oil it.", notes: [] });
  });

  it("a page's foot with an address, but no mere imprint", async () => {
    const page = (foot: string) => `<body><h1>Doors</h1><p>${text}</p><footer>${foot}</footer>`;
    const facts = "Doors Ltd, Main Street 5, Berlin, © 2024, VAT DE123456";
    expect(await markdownOf(page(facts))).toBe(`# Doors\n\n${text}\n\n${facts}`);
    expect(await markdownOf(page("© 2020–2024 Doors Ltd. Built with Hinge 5.3.0"))).toBe(
      `# Doors\n\n${text}`,
    );
  });

  it("no buttons that only do something", async () => {
    const html = `<h2>Locks <button>Copy link</button></h2><p>${text}<button>Buy</button></p>`;
    expect(await markdownOf(html)).toBe(`## Locks\n\n${text}`);
  });

  it("a heading or a sentence beside what scripts fill", async () => {
    const page = (body: string) => `<body>${body}<div id="app"></div><script>run()</script>`;
    expect(await markdownOf(page("<h1>Open from 9 to 17</h1>"))).toBe("# Open from 9 to 17");
    expect(await markdownOf(page("<p>We are closed on Saturdays.</p>"))).toBe(
      "We are closed on Saturdays.",
    );
  });

  it("all of a letter, with its buttons", async () => {
    const html = `<div id="root"></div><p>Dear Jan</p><button>Confirm</button><script>run()</script>`;
    const mail = `From: a@example.org\nSubject: Doors\nContent-Type: text/html\n\n${html}`;
    const { markdown } = await extract("a.eml", mail);
    expect(markdown).toContain("Dear Jan\n\nConfirm");
  });
});

it.each([
  `<nav><a href=/>Home</a></nav><div id="root"></div><noscript>Enable JavaScript.</noscript>`,
  `<div id="app">Loading…</div><p>© Doors Ltd</p>`,
  `<nav><a href=/>Home</a></nav><main></main>`,
])("a page that scripts build is an error, not its navigation: %s", async (body) => {
  const page = extract(
    "a.html",
    `<html><head><script src="a.js"></script></head><body>${body}</body></html>`,
  );
  await expect(page).rejects.toThrow("scripts build this page; it has no text of its own");
});

describe("code", () => {
  it.each([
    [`<div class="highlight-python3"><div><pre>a = 1</pre></div></div>`, "python"],
    [`<pre><code class="language-rust hljs">a = 1</code></pre>`, "rust"],
    [`<pre class="brush: php; gutter: true">a = 1</pre>`, "php"],
    [`<pre lang="ruby">a = 1</pre>`, "ruby"],
    [`<div class="language-sh"><button>Copy</button><span>sh</span><pre>a = 1</pre></div>`, "sh"],
    [`<div class="language-py"><span>Python</span><pre>a = 1</pre></div>`, "python"],
    [`<figure data-language="rust"><pre><code>a = 1</code></pre></figure>`, "rust"],
    [`<pre class="screen">a = 1</pre>`, ""],
    [`<div class="highlight-default"><pre>a = 1</pre></div>`, ""],
  ])("knows its language: %s", async (html, language) => {
    expect(await markdownOf(`<p>So:</p>${html}<p>End</p><pre>b</pre>`)).toBe(
      `So:\n\n\`\`\`${language}\na = 1\n\`\`\`\n\nEnd\n\n\`\`\`\nb\n\`\`\``,
    );
  });

  it("keeps its lines where each is an element, and leaves their numbers out", async () => {
    const html = `<div class="fragment"><div class="line"><span class="lineno"> 1</span>if (a) {</div>
      <div class="line">  b();</div>\n<div class="line">}</div></div>
      <table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre><td><pre>c\n  d</pre></table>`;
    expect(await markdownOf(html)).toBe("if (a) {\n\nb();\n\n}\n\n```\nc\n  d\n```");
  });
});

describe("text", () => {
  it.each([
    ["<h2>Locks<a class=headerlink href='#locks'>¶</a></h2>", "## Locks"],
    ["<dl><dt>open()<a href='#open'>#</a><dd>Opens.</dl>", "- open()\n   - Opens."],
    [
      "10<sup>6</sup> m<sup>2</sup>, x<sup>n+1</sup>, the 21<sup>st</sup>, XIX<sup>e</sup>",
      "10^6 m^2, x^(n+1), the 21st, XIXe",
    ],
    [
      "Oil it<sup><a href='#f1'>1</a></sup> or<a href='#f2'><sup>2</sup></a> not.",
      "Oil it[^1] or[^2] not.",
    ],
    ["H<sub>2</sub>O, 101<sub>2</sub>", "H2O, 101_2"],
    ["<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を", "漢字(かんじ)を"],
    ["Open <i aria-hidden=true>lock_open</i> the door", "Open the door"],
    ["<input type=radio><label>npm</label><input type=radio><label>pnpm</label>", "npm pnpm"],
    ["<a role=tab href=#a>Linux</a><a role=tab href=#b>macOS</a>", "Linux macOS"],
    ["First<br>line<br><br>Second", "First\nline\n\nSecond"],
    [
      "<div class=line-block><div class=line>Roses</div><div class=line>are red</div></div>",
      "Roses\nare red",
    ],
    ["<ol><li><p>One<p>More<li>Two</ol>", "1. One\n\n   More\n2. Two"],
  ])("%s", async (html, markdown) => {
    expect(await markdownOf(`<body><div>${html}</div></body>`)).toBe(markdown);
  });
});

it("elements that only their roles make a table are one", async () => {
  const cells = (role: string, ...texts: string[]) =>
    `<div role=row>${texts.map((text) => `<span role=${role}>${text}</span>`).join("")}</div>`;
  const rows = cells("columnheader", "Town", "Area") + cells("cell", "Ayl", "North");
  const table = "| Town | Area |\n| --- | --- |\n| Ayl | North |";
  expect(await markdownOf(`<div role=table>${rows}</div>`)).toBe(table);
  // Elsewhere these roles are but layout.
  const inCell = "<table><tr><th><div role=cell>Town</div><th>Area<tr><td>Ayl<td>North</table>";
  expect(await markdownOf(inCell)).toBe(table);
  expect(await markdownOf("<p>Ayl <span role=cell>lies</span> north</p>")).toBe("Ayl lies north");
});
