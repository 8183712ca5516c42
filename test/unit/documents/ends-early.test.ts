import { expect, it } from "vitest";

import { extract } from "../../support/read-document.ts";

const WHOLE: [name: string, text: string, cuts: string[]][] = [
  [
    "records.xml",
    '<records><record id="1">first</record><record id="2">second</record></records>',
    ["seco", "</record", 'id="2', "<"],
  ],
  [
    "page.html",
    '<!doctype html><html><body><p>first</p><p class="a">second</p><!-- end --><script>let a = "<p>";</script></body></html>',
    ["<p cla", '<p class="a', "</bo", "<!-- en", "let a"],
  ],
  ["letter.rtf", "{\\rtf1 {\\b first}\\par {\\i second}\\par}", ["{\\i sec", "\\par {"]],
  [
    "list.json",
    '{"all": [{"a": "first"}, {"b": "sec\\"ond"}, {"c": [1, 2]}]}',
    ['"sec', '"b":', "[1, 2]", '{"c'],
  ],
  ["lines.jsonl", '{"a": "first"}\n{"b": "second"}', ['{"b', '"seco', '"second"']],
];

const CUT = WHOLE.flatMap(([name, text, cuts]) =>
  cuts.map((last) => [name, last, text.slice(0, text.lastIndexOf(last) + last.length)] as const),
);

it.each(CUT)("reads %s that ends at %j, and says so", async (name, _last, text) => {
  const document = await extract(name, text);
  expect(document.markdown).toContain("first");
  expect(document.notes).toContain("the file ends early");
});

it.each(WHOLE)("says nothing of %s when it is whole", async (name, text) => {
  const document = await extract(name, text);
  expect(document.notes).toEqual([]);
});

it.each([
  ["a.json", '{"a": "first"} } {'],
  ["a.json", '{"a": "first", "b": [1, 2}'],
  ["a.html", "<p>first: 1 < 2"],
])("does not take %s that is damaged elsewhere for one that ends early: %s", async (name, text) => {
  expect((await extract(name, text)).notes).toEqual([]);
});

it("says that a quote is still open at the end of a table", async () => {
  const { markdown, notes } = await extract("a.csv", 'id,text\n1,first\n2,"sec\nond');
  expect(markdown).toContain("first");
  expect(notes).toEqual([
    "a quote is never closed: the file ends early, or a cell contains everything that follows",
  ]);
  expect((await extract("a.csv", 'id,text\n1,"fir""st"\n2,"sec\nond"\n')).notes).toEqual([]);
});
