import { describe, expect, it } from "vitest";
import { read } from "../../../../support/read-document.ts";

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
    const page = await read("a.html", html);
    expect(page.markdown).toBe(markdown);
    expect(page.notes).toEqual([]);
  });

  it("no frame that is hidden, and the page of one that nests too deeply", async () => {
    const hidden = `<iframe hidden srcdoc="<p>Hidden."></iframe>`;
    const deep = `<iframe srcdoc="${"<div>".repeat(2_000)}"></iframe>`;
    const page = await read("a.html", `<p>Before.</p>${hidden}${deep}<p>After.</p>`);
    expect(page.markdown).toBe("Before.\n\nAfter.");
    expect(page.notes).toEqual(["1 embedded part could not be read"]);
  });
});
