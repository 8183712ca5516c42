/**
 * Nothing that others send takes time that grows faster than its length: one sender would stop
 * everybody. `GROWTH=200 vitest run …` draws more texts of each grammar, `GROWTH_SEED` others.
 */
import { expect, test } from "vitest";

import { hash32 } from "../../../src/core/hash.ts";
import { formatOf } from "../../../src/documents/formats/office/sheets/number-formats.ts";
import { GRAMMARS } from "../../support/growth/grammars.ts";
import { growthOf, longestStretch, unitMs, unitsOf } from "../../support/growth/growth.ts";
import { stepsOf } from "../../support/growth/long-inputs.ts";
import { recipesOf, turns, within, type Recipe } from "../../support/growth/recipes.ts";
import { TARGETS, type Target, type TargetName } from "../../support/growth/targets.ts";

/** About a fifth of a second: half of what each of the texts below takes as a whole. */
const BUSY_UNITS = 40;
const { GROWTH = "1", GROWTH_SEED = "1" } = process.env;

/** Inputs with an order, an attribute or a size that chance does not find. */
const KNOWN: [target: TargetName, recipe: Recipe][] = [
  ["HTML", turns("<a href=x>")],
  ["HTML", within("<p>", "", "<code></code>", "<sup></sup>")],
  ["HTML", within("<p>x", "", "<b></b>")],
  ["Word", within("<w:p><w:r>", "</w:r></w:p>", '<w:br w:type="page"/>')],
  ["XML", within("<r>", "</r>", "<a b='c'>x</a>")],
  ["JSON", within("[", "1]", '{"a":"x"},')],
  [
    "notebook",
    within('{"nbformat":4,"cells":[', "{}]}", '{"cell_type":"markdown","source":["a\\n"]},'),
  ],
  ["CSV", turns('a,"b ""c""",d\n')],
  ["mail", within("Content-Type: multipart/mixed; boundary=b\n\n", "--b--", "--b\n\nx\n")],
  ["Excel", turns("<row><c><v>1</v></c></row>")],
  ["PowerPoint", within("<p:sp><p:txBody>", "", "<a:p><a:r><a:t>x</a:t></a:r></a:p>")],
  ["OpenDocument text", within("<text:p><text:note><text:note-body><text:p>", "", "<text:s/>x")],
  ["RTF", { parts: [" ", "\\par\\pard x"], order: "blocks", before: "\\intbl" }],
  ["PDF", turns("[(a)-20(b)-400(c)]TJ\n")],
  ["PDF", turns("3 0 Td (\\250) Tj\n0 0 Td (e) Tj\n")],
  ["lines of a PDF", turns("x")],
  ["a line of a PDF", turns("x")],
  ["columns of a PDF", turns("x")],
  ["rows of a PDF that each add a column", turns("x")],
  ["lines of one row of a PDF", turns("x")],
  ["rows of a PDF below many cells", turns("x")],
  ["cells of a PDF that span others", turns("x")],
  ...["[", "`a``", "> ", "- ", "![a](b", "**a*", "|"].map((part): [TargetName, Recipe] => [
    "Markdown in the panel",
    turns(part),
  ]),
  ...[" ", '"', "\\", ",", ";", "a", "for=", 'for="\\'].map((part): [TargetName, Recipe] => [
    "addresses of proxies",
    turns(part),
  ]),
  ["crawled page", turns("<meta property=article:modified_time content=x>")],
  ["crawled page", turns("<script type=application/ld+json>x</script>")],
  ["addresses beyond a crawl's limit", turns("a ")],
  ["Markdown in the panel", within("a ", "", "`")],
  ["Markdown in the panel", turns("*a ", "_b ")],
  ["duplicates", within("a", "", "\u0301\u0316")],
  ["names", within("a", "", "\u0301\u0316")],
  ["query", within("a", "", "\u0301\u0316")],
  ["query and passage", within("a", "", "\uff9e\u0316")],
  ["prompt", within("a", "", "\u0301\u0316")],
  ["answer of a model", turns('```json\n{"days":"x"}\n```\n')],
  ["answer of a model", turns(",[cite-bafebafe:1]")],
  ["answer of a model", turns("\n[cite-bafebafe:1]")],
  [
    "answer of a model",
    { parts: ['"hello there" ', "[cite-bafebafe:1]"], order: "blocks", before: "x " },
  ],
];

const drawn = Object.entries(TARGETS).flatMap(([name, { grammars }]: [string, Target]) =>
  grammars.flatMap((grammar) => {
    const { tokens, frames } = GRAMMARS[grammar];
    const seed = hash32(`${name} ${grammar}`, Number(GROWTH_SEED));
    return recipesOf(tokens, frames, Number(GROWTH), seed).map((recipe): [string, Recipe] => [
      name,
      recipe,
    ]);
  }),
);

const KNOWN_MS = 100;
const DRAWN_MS = Number(GROWTH) > 1 ? KNOWN_MS : 25;

test.each([...KNOWN, ...drawn])("%s of %j", async (name, recipe) => {
  const target: Target = TARGETS[name as TargetName];
  const enoughMs = KNOWN.some((entry) => entry[1] === recipe) ? KNOWN_MS : DRAWN_MS;
  expect(await growthOf(target, recipe, enoughMs)).toBe(null);
});

test("number formats of brackets are read in a moment each", async () => {
  const codes = ["[$", "[$a", "[", "[h", '"', "0[$"].map((part) => part.repeat(127).slice(0, 255));
  const formatAll = () => {
    for (let nth = 0; nth < 200; nth++) for (const code of codes) formatOf(code, false)(1.5);
  };
  // These 1,200 took eight seconds.
  expect(await unitsOf(formatAll)).toBeLessThan(200);
});

/** Where a megabyte took half a second and more without a turn for anybody else. */
test.each([
  ["text of lines", 110_000],
  ["text of an old encoding", 200_000],
  ["Markdown of headings", 60_000],
  ["Markdown of items", 190_000],
  ["page of paragraphs", 70_000],
  ["page of cells", 140_000],
  ["feed", 270_000],
  ["CSV of one row", 120_000],
  ["RTF of paragraphs", 120_000],
  ["manual page", 160_000],
  ["mail of quotations", 100_000],
  ["mail of a header", 900_000],
  ["mail of parts of unknown bytes", 15_000],
  ["Word of paragraphs", 500_000],
  ["OpenDocument sheet of repeated rows", 30_000],
  ["PDF of lines", 450_000],
  ["PDF of one line", 450_000],
])("others have turns while a %s is read and cut", async (what, size) => {
  const readAndCut = (length: number) =>
    longestStretch(async (yieldToOthers) => {
      for (const step of Object.values(stepsOf(what, length)))
        await step(yieldToOthers).catch(() => null);
    });
  // A first run loads and compiles, and is not measured.
  await readAndCut(size / 8);
  let longest = await readAndCut(size);
  // A busy machine is measured again.
  for (let attempt = 0; longest > BUSY_UNITS * (await unitMs()) && attempt < 3; attempt++)
    longest = Math.min(longest, await readAndCut(size));
  expect(longest).toBeLessThan(BUSY_UNITS * (await unitMs()));
});
