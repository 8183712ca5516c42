import { describe, expect, it } from "vitest";

import { extract } from "../../../../support/read-document.ts";

describe("tabs, frames and tables as generators write them", () => {
  const panel = (text: string, more = "") => `<div role="tabpanel" ${more}><p>${text}</p></div>`;

  it.each<[string, html: string, markdown: string]>([
    [
      "panels that a tab opens (Docusaurus), each under its label",
      `<ul role="tablist"><li role="tab">macOS<li role="tab">Linux</ul>${panel("Run brew.")}${panel("Run apt.", "hidden")}`,
      "- macOS\n- Linux\n\nmacOS\n\nRun brew.\n\nLinux\n\nRun apt.",
    ],
    [
      "panels whose tabs are buttons",
      `<div role="tablist"><button role="tab">macOS</button><button role="tab">Linux</button></div>${panel("Run brew.")}${panel("Run apt.", "hidden")}`,
      "macOS Linux\n\nmacOS\n\nRun brew.\n\nLinux\n\nRun apt.",
    ],
    [
      "tabs within a panel",
      `<ul role="tablist"><li role="tab">A<li role="tab">B</ul><div role="tabpanel"><p>First.</p><p role="tablist"><b role="tab">X</b><b role="tab">Y</b></p>${panel("In X.")}${panel("In Y.", 'hidden=""')}</div>${panel("Second.", "hidden")}`,
      "- A\n- B\n\nA\n\nFirst.\n\nX Y\n\nX\n\nIn X.\n\nY\n\nIn Y.\n\nB\n\nSecond.",
    ],
    [
      "blocks of Material for MkDocs",
      `<div class="tabbed-set"><input type="radio"><div class="tabbed-labels"><label>C</label><label>C++</label></div><div class="tabbed-content"><div class="tabbed-block"><p>Use printf.</p></div><div class="tabbed-block"><p>Use cout.</p></div></div></div>`,
      "C C++\n\nC\n\nUse printf.\n\nC++\n\nUse cout.",
    ],
    [
      "code with numbers and a title",
      `<div class="language-python"><table class="highlighttable"><tr><th class="filename" colspan="2"><span>main.py</span></th></tr><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre><code>import os\nprint(1)\n</code></pre></td></tr></table></div>`,
      "main.py\n\n```python\nimport os\nprint(1)\n```",
    ],
    [
      "headings of MediaWiki without their links",
      `<h2>Diet<span class="mw-editsection">[<a href="?action=edit">edit</a>]</span></h2><p>Fish.</p><div class="printfooter">Retrieved from "<a href="x">https://wiki.example/x</a>"</div>`,
      "## Diet\n\nFish.",
    ],
    [
      "no badges and ways back",
      `<p><a href=b><img alt="build passing" src="https://img.shields.io/b.svg"></a> Read it.</p><a href="#top">Back to top</a>`,
      "Read it.",
    ],
    [
      "pictures whose name has a badge in it",
      `<p>Wear the <img alt="gold badge" src="/badge-gold.png"> at work.</p>`,
      "Wear the gold badge at work.",
    ],
    [
      "a frame's own page",
      `<p>Before.</p><iframe srcdoc="&lt;h2&gt;Fees&lt;/h2&gt;&lt;p&gt;5 &amp;amp; 6 euros&lt;/p&gt;"></iframe><p>After.</p>`,
      "Before.\n\n## Fees\n\n5 & 6 euros\n\nAfter.",
    ],
    [
      "two frames side by side",
      `<p>A</p><iframe srcdoc="<p>B"></iframe><iframe srcdoc="<p>C"></iframe><p>D</p>`,
      "A\n\nB\n\nC\n\nD",
    ],
    [
      "a title in a table of layout that has a head",
      `<table><tr><th>Menu<tr><td><h1>Fees</h1><p>5 euros.</table>`,
      "Menu\n\n# Fees\n\n5 euros.",
    ],
    [
      "a table with a header, whatever its cells hold",
      `<table><tr><th>Plan<th>Limits<th>Sizes<tr><td><h3>Basic</h3><td><ul><li>5 users<li>mail</ul><td><table><tr><td>S<td>40<tr><td>M<td>50</table><tr><td>Team<td>none<td>L</table><p>After.`,
      "| Plan | Limits | Sizes |\n| --- | --- | --- |\n| Basic | 5 users mail | S 40 M 50 |\n| Team | none | L |\n\nAfter.",
    ],
    [
      "a cell over several rows in each of them",
      `<table><tr><th>Area<th>Town<tr><td rowspan=2>North<td>Ayl<tr><td>Bex<tr><td>South<td>Cove</table>`,
      "| Area | Town |\n| --- | --- |\n| North | Ayl |\n| North | Bex |\n| South | Cove |",
    ],
    [
      "a last cell over several rows in each of them",
      `<table><tr><th>Town<th>Area<tr><td>Ayl<td rowspan=3>North<tr><td>Bex<tr><td>Cove</table>`,
      "| Town | Area |\n| --- | --- |\n| Ayl | North |\n| Bex | North |\n| Cove | North |",
    ],
  ])("%s", async (_what, html, markdown) => {
    const page = await extract("a.html", html);
    expect(page.markdown).toBe(markdown);
    expect(page.notes).toEqual([]);
  });

  it("no frame that is hidden, and the page of one that nests too deeply", async () => {
    const hiddenFrame = `<iframe hidden srcdoc="<p>Hidden."></iframe>`;
    const deep = `<iframe srcdoc="${"<div>".repeat(2_000)}"></iframe>`;
    const page = await extract("a.html", `<p>Before.</p>${hiddenFrame}${deep}<p>After.</p>`);
    expect(page.markdown).toBe("Before.\n\nAfter.");
    expect(page.notes).toEqual(["1 embedded part could not be read"]);
  });
});

/** Paragraphs of a main text about a noun, each longer than a label. */
const about = (noun: string, count = 4) =>
  Array.from(
    { length: count },
    (_unused, at) =>
      `<p>Rule ${at + 1} of the ${noun} says that whoever comes last in the evening closes it, oils it in May and tells the porter when it does not hold.</p>`,
  ).join("");
const links = (noun: string, count = 4) =>
  Array.from(
    { length: count },
    (_unused, at) => `<li><a href="${noun}${at}">Story ${at + 1} of the ${noun}</a></li>`,
  ).join("");
const RELATED = `<div class="box related-posts"><h3>You may also like</h3><ul>${links("gate")}</ul></div>`;
const ARTICLE = `<head><meta property="og:type" content="article"></head>`;
const HIRAGANA =
  "りんごを木からとってはこに入れ、冬のあいだは暗くてすずしいへやにならべておきます。";

describe("a page's main text stays, and what is around it is left out", () => {
  /** Name, page, texts that stay, texts that are left out. */
  const pages: [string, string, string[], string[]][] = [
    [
      "an article among all that a site adds",
      `${ARTICLE}<body><div class="page"><div class="post"><h1>Locks</h1><p class="teaser">Why a lock wants oil, and what happens to a lock that gets none of it in a whole year.</p>
        <div class="entry">${about("lock")}<p><a href="k">Read the story of the key of the house</a></p><h3>More</h3><ul>${links("key")}</ul></div>
        <div class="author-box">Ann Porter writes about locks.</div><div class="tags">Tags: doors</div>${RELATED}</div>
        <div class="newsletter_signup">Get our letter each week.</div><div id="comments"><p>I think that all of this is wrong, and I have oiled locks for thirty years and more.</p></div></div></body>`,
      ["# Locks", "Why a lock", "Rule 1", "Rule 4"],
      ["story of the key", "Ann Porter", "Tags", "also like", "each week", "is wrong"],
    ],
    [
      "an article's own lists, linked headings and blocks that lead nowhere else",
      `${ARTICLE}<main><div><h1>Locks</h1>${about("lock", 6)}<h2>Makers</h2><ul>${links("maker")}</ul><h3><a href="b">Bolt</a></h3><p>Slides.</p>
        <div id="discussion"><h2>Discussion</h2>${about("talk", 2)}</div></div><div class="card"><h2>Hours</h2><p>Monday to Friday 9 to 17, Saturday 10 to 14</p></div></main>`,
      ["Makers", "Story 4", "### Bolt", "Rule 2 of the talk", "Saturday 10"],
      [],
    ],
    [
      "an article without what stands above and below boxes that are left out",
      `${ARTICLE}<main><div><h1>Locks</h1>${about("lock", 6)}<h2>Recipe</h2><div class="share"><a href="s">Share</a></div><h3>Parts</h3><p>Oil.</p>
        <div><div><a href="b">All our bolts</a></div></div><p>Read this, too:</p><h4>Map of shops</h4><form><p>Write your name into the first field and your question, which all can read, into the second.</p></form></div>
        <form><p>Your address will not be shown to anybody, and every field with a star must be filled in.</p></form>
        <aside><h1>Trending</h1><p><a href="g">A gate</a></p></aside></main>`,
      ["Rule 6", "## Recipe", "### Parts"],
      [
        "All our bolts",
        "Read this",
        "Map of shops",
        "your name",
        "Your address",
        "Trending",
        "A gate",
      ],
    ],
    [
      "an article's references, captions and short facts",
      `${ARTICLE}<main><div><h1>Locks</h1>${about("lock", 6)}<h2>Sources</h2><div>${["a", "b", "c"].map((host) => `<a href="https://${host}.example/">The locks of ${host}, third edition</a>`).join(" ")}</div>
        <form><p>Write, or call 555 0100.</p></form><h2>Programme</h2><h3>10:00 Keys</h3><div class="share"><a href="s">Share</a></div></div><figure><figcaption>A lock of iron</figcaption></figure><div>Mo to Fr 9–17</div></main>`,
      ["## Sources", "The locks of c", "555 0100", "10:00 Keys", "A lock of iron", "9–17"],
      [],
    ],
    [
      "what stands around the long table of an article",
      `${ARTICLE}<main><div class="c"><h1>Locks</h1><table>${`<tr><td>${about("lock", 1)}`.repeat(6)}</table><h2>See also</h2><div><i>Doe</i> <a href="https://a.example/">Keys of the world</a></div></div></main>`,
      ["Rule 1", "## See also", "Keys of the world"],
      [],
    ],
    [
      "a question with answers whose posts are entries",
      `${ARTICLE}<script type="application/ld+json">{"@type": "QAPage"}</script><body><div><h1>How?</h1><div class="hentry">${about("lock")}</div><div class="comments">${about("answer", 2)}</div></div></body>`,
      ["Rule 4 of the lock", "Rule 2 of the answer"],
      [],
    ],
    [
      "a sidebar of many stories beside the text",
      `${ARTICLE}<body><article>${about("lock", 3)}</article><aside><article><a href="g"></a>${about("gate", 1)}</article>${about("gate", 5)}</aside></body>`,
      ["Rule 3 of the lock"],
      ["the gate"],
    ],
    [
      "parts that a name of boxes does not tell apart",
      `${ARTICLE}<body><div class="c"><div class="widget">${about("lock", 6)}</div><div class="widget">${about("gate", 2).replaceAll("May", '<a href="m">May</a>')}</div></div>${RELATED}</body>`,
      ["Rule 6", "Rule 2 of the gate"],
      ["also like"],
    ],
    [
      "a letter beside other prose",
      `${ARTICLE}<body><div class="newsletter">${about("lock", 6)}</div><div class="legal">${about("law", 2)}</div></body>`,
      ["Rule 6 of the lock"],
      [],
    ],
    [
      "widgets of a page builder",
      `${ARTICLE}<body><div><div class="elementor-element elementor-widget">${about("lock", 6)}</div><div class="elementor-element elementor-widget wide">${about("gate", 2).replaceAll("May", '<a href="m">May</a>')}</div></div></body>`,
      ["Rule 6", "Rule 2 of the gate"],
      [],
    ],
    [
      "an article by its data, with text around it that no name tells",
      `<script type="application/ld+json">{"@context": "x", "@type": "NewsArticle"}</script><body><div><div><h1>Locks</h1>${about("lock")}</div>
        <div><a href="a"><b>A gate is stolen</b></a> Who took it, nobody knows.</div></div></body>`,
      ["# Locks", "Rule 4"],
      ["gate is stolen", "nobody knows"],
    ],
    [
      "documentation by its data",
      `<script type="application/ld+json">{"@type": "TechArticle"}</script><body><div><div><h1>Locks</h1>${about("lock")}</div>
        <div><a href="a"><b>Gate reference</b></a> lists each gate.</div></div></body>`,
      ["# Locks", "Gate reference"],
      [],
    ],
    [
      "prose without elements of meaning",
      `<body><div class="top"><a href="a">Home</a> <a href="b">Shop</a> <a href="c">About</a></div>
        <div class="mid"><h1>Locks</h1>${about("lock", 6)}</div>${RELATED}</body>`,
      ["# Locks", "Rule 6"],
      ["Shop", "also like"],
    ],
    [
      "a thread: each answer is text",
      `<body><div class="thread"><h1>How?</h1><div class="post">${about("lock", 3)}</div><div class="comments"><div class="post">${about("answer", 2)}</div>
        <div class="post"><p>Do not.</p></div></div></div>${RELATED}</body>`,
      ["Rule 3 of the lock", "Rule 2 of the answer", "Do not."],
      ["also like"],
    ],
    [
      "documentation: sections, code, tables and lists of links",
      `${RELATED}<body><div class="document"><div class="section" id="widgets"><h1>Locks</h1>${about("lock", 5)}</div>
        <div class="section" id="comments"><h2>Comments</h2><p>Use a hash.</p><pre>open --lock</pre></div>
        <pre class="synopsis"><a href="a">open</a> <a href="b">close</a> <a href="c">bolt</a></pre>
        <table class="related"><tr><th>Flag<th>Sense<tr><td>-o<td>opens</table><ul><li><a href="m">The manual</a> of 1990</ul></div></body>`,
      ["Rule 5", "Use a hash.", "open --lock", "open close bolt", "| -o | opens |", "The manual"],
      ["also like"],
    ],
    [
      "prose of documentation, whatever its box is called",
      `<body><div class="document"><h1>Locks</h1>${about("lock", 5)}<pre>open</pre></div><div class="related">${about("gate", 1)}</div></body>`,
      ["Rule 5", "Rule 1 of the gate"],
      [],
    ],
    [
      "an article whose comments are longer",
      `${ARTICLE}<body><div><h1>Locks</h1>${about("lock", 3)}</div><section class="comments">${about("reader", 9)}</section></body>`,
      ["Rule 3 of the lock"],
      ["reader"],
    ],
    [
      "an article in a script without spaces",
      `${ARTICLE}<body><div><h1>りんご</h1>${`<p>${HIRAGANA}</p>`.repeat(4)}</div><div class="related"><p>なしの話</p></div></body>`,
      [HIRAGANA],
      ["なしの話"],
    ],
  ];

  it.each(pages)("%s", async (_name, html, stays, leaves) => {
    const { markdown } = await extract("a.html", html);
    expect(stays.filter((each) => !markdown.includes(each))).toEqual([]);
    expect(leaves.filter((each) => markdown.includes(each))).toEqual([]);
  });

  it.each([
    [
      "a list of links",
      `<body><h1>Stories</h1><div class="related"><ul>${links("gate", 9)}</ul></div>`,
    ],
    [
      "short paragraphs",
      `<body><div class="widget"><p>Oil the hinge.</p></div><p>Close the gate.</p>`,
    ],
    [
      "two texts of the same length",
      `<body><div class="left">${about("lock")}</div><div class="right">${about("gate")}</div>`,
    ],
    [
      "what a word processor writes",
      `<body><p>Dear all,</p>${about("lock")}<p>Kind regards</p><p>Ann Porter, 0800 1234</p></body>`,
    ],
  ])("nothing of a page without a certain main text: %s", async (_name, html) => {
    const words = (text: string) =>
      text
        .replace(/<[^>]*>|[#-]/g, " ")
        .split(/\s+/)
        .filter(Boolean);
    const { markdown, notes } = await extract("a.html", html);
    expect(words(markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"))).toEqual(words(html));
    expect(notes).toEqual([]);
  });

  it("a note says so, unless it is little or links", async () => {
    const page = (beside: string) =>
      extract(
        "a.html",
        `${ARTICLE}<body><div>${about("lock")}</div><div id="comments">${beside}</div>`,
      );
    expect((await page(about("reader"))).notes).toEqual(["text outside the main part left out"]);
    expect((await page(`<ul>${links("gate")}</ul>`)).notes).toEqual([]);
  });

  it("a note says so where little text is left", async () => {
    const page = (beside: string) =>
      extract(
        "a.html",
        `<body><main><p>${"Oil the hinge. ".repeat(10)}</main><aside>${beside}</aside>`,
      );
    expect((await page("Ann Porter writes about locks and doors.")).notes).toHaveLength(1);
    expect((await page("By Ann Porter")).notes).toEqual([]);
  });
});
