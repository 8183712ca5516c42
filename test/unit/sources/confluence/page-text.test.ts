import { expect, test } from "vitest";

import { mentionsIn, pageText } from "../../../../src/sources/confluence/page-text.ts";

/** Where each step took all of it, this would take minutes. */
const LONG = 400_000;

const page = {
  id: "7",
  title: "Title",
  spaceKey: "ENG",
  site: "https://acme.example/wiki",
  names: new Map([["712020:ann", "Ann <Lee>"]]),
};

const macro = (name: string, inner: string) =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${inner}</ac:structured-macro>`;
const parameter = (name: string, value: string) =>
  `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;
const rich = (html: string) => `<ac:rich-text-body>${html}</ac:rich-text-body>`;
const plain = (text: string) => `<ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`;
const ANN = `<ac:link><ri:user ri:account-id="712020:ann" /></ac:link>`;
const leftOut = (name: string) => `(left out: macro ${name}, which Confluence computes)`;
const CELLS =
  `<table><tbody><tr><th colspan="2"><p>Head</p></th><th>C</th></tr>` +
  `<tr><td rowspan="2"><p>a</p></td><td><p>b</p><p>b</p></td><td /></tr>` +
  `<tr><td>d</td><td>e</td></tr></tbody></table>`;

test.each<[string, string, string]>([
  [
    "headings and lists",
    "<h2>A&nbsp;b</h2><ol><li><p>x</p><ul><li>y</li></ul></li></ol>",
    "## A b\n\n1. x\n   - y",
  ],
  [
    "tables with merged cells",
    CELLS,
    "| Head |  | C |\n| --- | --- | --- |\n| a | b b |  |\n| a | d | e |",
  ],
  [
    "code with its language and title",
    macro(
      "code",
      parameter("language", "java") +
        parameter("title", "A.java") +
        plain(`if (a < b && c) "]] ";\n<p>`),
    ),
    'A.java\n\n```java\nif (a < b && c) "]] ";\n<p>\n```',
  ],
  [
    "code that holds what ends code",
    macro("code", plain("a]]]]><![CDATA[>b <ac:link>")),
    "```\na]]>b <ac:link>\n```",
  ],
  [
    "text of other makers' macros",
    macro("mermaid", plain("graph TD;")),
    "```mermaid\ngraph TD;\n```",
  ],
  [
    "panels",
    macro("warning", parameter("title", "Mind") + rich("<p>the gap</p>")),
    "> Mind\n\n> the gap",
  ],
  [
    "expands",
    macro("expand", parameter("title", "More &amp; more") + rich("<p>in</p>")),
    "More & more\n\nin",
  ],
  [
    "macros in macros",
    macro("section", rich(macro("column", rich(macro("info", rich("<p>in</p>")))))),
    "> in",
  ],
  [
    "task lists",
    "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status>" +
      "<ac:task-body><span>done</span></ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id>" +
      `<ac:task-status>incomplete</ac:task-status><ac:task-body>ask ${ANN}</ac:task-body></ac:task></ac:task-list>`,
    "- [x] done\n- [ ] ask @Ann <Lee>",
  ],
  [
    "links to pages, by titles and addresses",
    `<p><ac:link><ri:page ri:content-title="Q &amp; A (old)" ri:space-key="HR" /><ac:plain-text-link-body>` +
      `<![CDATA[a <b>]]></ac:plain-text-link-body></ac:link> <ac:link><ri:page ri:content-title="Plain" /></ac:link></p>`,
    "[a <b>](https://acme.example/wiki/display/HR/Q%20%26%20A%20%28old%29) [Plain](https://acme.example/wiki/display/ENG/Plain)",
  ],
  [
    "links to attachments, anchors and other sites",
    `<p><ac:link><ri:attachment ri:filename="a b.pdf" /></ac:link> <ac:link ac:anchor="x"><ac:link-body>there` +
      `</ac:link-body></ac:link> <a href="https://e.example/">ext</a></p>`,
    "[a b.pdf](https://acme.example/wiki/download/attachments/7/a%20b.pdf) there [ext](https://e.example/)",
  ],
  [
    "people, dates, smileys and pictures",
    `<p>${ANN} <ac:link><ri:user ri:account-id="x" /></ac:link> <time datetime="2026-05-06" /> <ac:emoticon ac:name="smile" ac:emoji-fallback="🙂" /> <ac:image ac:alt="A chart"><ri:attachment ri:filename="c.png" /></ac:image></p>`,
    "@Ann <Lee> @somebody 2026-05-06 🙂 A chart",
  ],
  [
    "status and issue",
    `<p>${macro("status", parameter("title", "DONE") + parameter("colour", "Green"))} ${macro("jira", parameter("server", "S") + parameter("key", "AB-1"))}</p>`,
    "DONE AB-1",
  ],
  [
    "layouts",
    "<ac:layout><ac:layout-section><ac:layout-cell><p>l</p></ac:layout-cell><ac:layout-cell><p>r</p></ac:layout-cell></ac:layout-section></ac:layout>",
    "l\n\nr",
  ],
  [
    "new panels, once",
    `<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="t">note</ac:adf-attribute><ac:adf-content><p>in</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>in</p></ac:adf-fallback></ac:adf-extension>`,
    "in",
  ],
  [
    "what a macro computes, by a note",
    `<p>x</p>${macro("toc", parameter("maxLevel", "3"))}${macro("profile", parameter("user", ANN) + parameter("hide", "false"))}${macro("toc", "")}<ac:structured-macro ac:name="children" />`,
    `x\n\n${leftOut("toc")}\n\n${leftOut("profile")}\n\n${leftOut("children")}`,
  ],
  [
    "macros of any name",
    macro("constructor", rich("<p>in</p>")) + macro("toString", ""),
    `in\n\n${leftOut("toString")}`,
  ],
  [
    "placeholders and hidden text, not at all",
    `<p>x<ac:placeholder>Write here</ac:placeholder><span style="display: none">hidden</span></p>`,
    "x",
  ],
  [
    "navigation-like parts",
    `<div class="navbar"><ul><li><a href="https://e.example/a">A</a></li></ul></div>`,
    "- [A](https://e.example/a)",
  ],
  [
    "markup that does not end",
    `<p>x</p><ac:structured-macro ac:name="info"><ac:rich-text-body><p>y`,
    "x\n\n> y",
  ],
])("storage format: %s", async (_what, storage, markdown) => {
  expect(await pageText({ ...page, storage })).toBe(`# Title\n\n${markdown}`);
});

test.each([
  "<ac:link>",
  "<ac:parameter>",
  "<ac:link",
  "<ac:link a",
  'a="',
  "<![CDATA[",
  "<",
  "]]>",
  macro("x", ""),
  'ri:account-id="',
])("%s, again and again, takes time by its length", async (part) => {
  const storage = `<ac:image ${part.repeat(Math.ceil(LONG / part.length))}>`;
  expect(await pageText({ ...page, storage })).toMatch(/^# Title/);
});

test.each([
  `<ac:structured-macro ac:name="info">${parameter("title", "t".repeat(10_000))}${rich("x").repeat(2_000)}`,
  `<ac:structured-macro ac:name="code">${parameter("language", "t".repeat(10_000))}${plain("x").repeat(2_000)}`,
  `<ac:link><ri:page ri:content-title="${"t".repeat(10_000)}\ud800" />${"<ac:link-body>x</ac:link-body>".repeat(2_000)}`,
])("what many bodies of a macro or link share is written once: %#", async (storage) => {
  expect((await pageText({ ...page, storage })).length).toBeLessThan(100_000);
});

test("a page that mentions everybody costs a few calls", () => {
  const mentions = Array.from({ length: 2_000 }, (_, at) => `<ri:user ri:account-id="${at}" />`);
  expect(mentionsIn(mentions.join("").repeat(2))).toHaveLength(1_000);
});
