import { describe, expect, it } from "vitest";

import { extract, reads } from "../../../../support/read-document.ts";

const markdownOf = async (body: string) => (await extract("a.html", body)).markdown;

describe("numbers stay what they are", () => {
  const row = (inside: string) => `<p>a <math><mrow>${inside}</mrow></math>.</p>`;
  const million = "<msup><mn>10</mn><mn>6</mn></msup>";

  reads("a.html", {
    "a fraction": [row("<mfrac><mn>1</mn><mn>2</mn></mfrac><mi>b</mi><mi>h</mi>"), "a 1/2 bh."],
    "a mixed number": [row("<mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>"), "a 3 1/2."],
    "a power": [row("<mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"), "a mc^2."],
    "a product": [row(`<mn>10</mn>${million}`), "a 10 10^6."],
    "an unwritten sign": [row(`<mn>10</mn><mo>&#x2062;</mo>${million}`), "a 10 10^6."],
    "a root": [row("<msqrt><mn>2</mn></msqrt>"), "a √2."],
    words: [row("<mn>2</mn><mtext> for <b>all</b></mtext>"), "a 2 for all."],
    "another notation beside it": [
      '<p>a <math><semantics><mi>x</mi><annotation encoding="TeX">\\x</annotation></semantics></math>b</p>',
      "a xb",
    ],
    "what was struck": ["<p>Price <del>100</del><ins>80</ins> euro.</p>", "Price ~~100~~ 80 euro."],
    "what is struck behind": ["<p>39<s>49</s>, <strike>b</strike></p>", "39 ~~49~~ , ~~b~~"],
    "nothing struck": ["<p>a<del> </del>b<s></s></p>", "a b"],
    "a hidden formula": [
      "<p>a<math hidden><mn>2</mn></math> b</p>",
      "a b",
      "1 hidden element removed",
    ],
  });

  it("in a table as well", async () => {
    const cells = `<tr><th>a<th>b<tr><td><s>49</s>39<td><math>${million}</math>`;
    expect(await markdownOf(`<table>${cells}</table>`)).toContain("| ~~49~~ 39 | 10^6 |");
  });
});

describe("items of a list have the numbers of their type, start and value", () => {
  reads("a.html", {
    "a beginning": ['<ol start="0"><li>a<li>b</ol>', "0. a\n1. b"],
    "a countdown": ["<ol reversed><li>a<li>b</ol>", "- a\n- b"],
    "no beginning": ['<ol start="x"><li>a<li>b</ol>', "1. a\n2. b"],
    "numbers of their own": ["<ol><li value=12>a<li>b<li value=20>c</ol>", "12. a\n13. b\n20. c"],
    letters: ["<ol type=a start=26><li>a<li>b<li>c</ol>", "- z. a\n- aa. b\n- ab. c"],
    "Roman numbers of one item": ["<ol><li>a<li type=I>b<li>c</ol>", "1. a\n- II. b\n3. c"],
    "a list in a list": ["<ol><li>a<ol type=i><li>b</ol><li>c</ol>", "1. a\n   - i. b\n2. c"],
    "less than nothing": ["<ol start=-1><li>a<li>b</ol>", "- -1. a\n0. b"],
  });
});
