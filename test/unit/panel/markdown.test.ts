import { html } from "hono/html";
import { expect, test } from "vitest";

import { Markdown, type Note } from "../../../src/panel/components/markdown.tsx";

async function rendered(text: string, notes: Note[] = []): Promise<string> {
  const output = String(await html`${Markdown({ text, notes })}`);
  return output.replace(/^<div[^>]*>/, "").replace(/<\/div>$/, "");
}

test.each([
  ["a heading, once underlined", "# One\n\nTwo\n---", /One<\/p><p [^>]*data-level="2">Two<\/p>$/],
  [
    "emphasis, code, not snake_case",
    "**a** *b* `c*d*` e_f_g",
    "<p><strong>a</strong> <em>b</em> <code>c*d*</code> e_f_g</p>",
  ],
  ["signs that close nothing", "2 * 3 ** [x `y \\*z", "<p>2 * 3 ** [x `y *z</p>"],
  [
    "lists in lists",
    "1. a\n   - b\n   - c\n2. d",
    '<ol start="1"><li><p>a</p><ul><li><p>b</p></li><li><p>c</p></li></ul></li><li><p>d</p></li></ol>',
  ],
  [
    "a table and its escapes",
    "| a | b |\n| --- | --- |\n| c\\|d | **e** |",
    /<th>a<\/th><th>b<\/th>.*<td>c\|d<\/td><td><strong>e<\/strong><\/td>/,
  ],
  [
    "rows of a table cut in two",
    "| c | d |\n| e | f |",
    /<tbody><tr><td>c<\/td><td>d<\/td><\/tr><tr><td>e<\/td>/,
  ],
  [
    "code as it is",
    "```js\nif (a < **b**) {}\n```\nafter",
    '<pre class="wrap"><code>if (a &lt; **b**) {}</code></pre><p>after</p>',
  ],
  ["code without its end", "~~~\nx = 1", '<pre class="wrap"><code>x = 1</code></pre>'],
  ["a quote", "> a\n> b", "<blockquote><p>a\nb</p></blockquote>"],
  [
    "a link of the web",
    "[a (b)](https://x.test/y_(z))",
    '<p><a href="https://x.test/y_(z)" rel="noreferrer noopener">a (b)</a></p>',
  ],
  ["plain text line by line", "Main Street 1\n  Town", "<p>Main Street 1\n  Town</p>"],
])("%s", async (_name, text, expected) => {
  const output = await rendered(text);
  if (typeof expected === "string") expect(output).toBe(expected);
  else expect(output).toMatch(expected);
});

test.each([
  "<script>window.executed = 1</script>",
  '<img src="x" onerror="window.executed = 1">',
  "[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://x.test/c.png)",
  '[a](https://x.test/"onclick="alert(1))',
  "```\n</code></pre><script>1</script>\n```",
  "| <b onclick=1> |\n| --- |\n| <svg onload=1> |",
])("hostile Markdown is text: %s", async (text) => {
  const output = await rendered(text);
  expect(output).not.toMatch(/<(script|img|svg|b)\b|<[^>]*\son\w+=|href="(?!https:)/);
});

test("a citation's number stands behind its sentence, also after code and in a table", async () => {
  const text = "One **two**. Three.\n\n```\nx\n```\n\n| a |\n| --- |\n| b |";
  const after = (part: string) => text.indexOf(part) + part.length;
  const notes = ["**.", "x\n```", "| b |"].map((part, at) => ({
    at: after(part),
    shown: `[${at}]`,
  }));
  const output = await rendered(text, notes);
  expect(output).toContain("<strong>two</strong>.[0] Three.");
  expect(output).toMatch(/x<\/code><\/pre><p>\[1\]<\/p>.*<td>b \[2\]<\/td>/);
});
