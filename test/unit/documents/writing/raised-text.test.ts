import { expect, test } from "vitest";

import { LinkedText } from "../../../../src/documents/writing/link-text.ts";
import { markExponent } from "../../../../src/documents/writing/raised-text.ts";
import { docx, odf, pptx, xlsx } from "../../../support/office-files.ts";
import { bytesOf, reads } from "../../../support/read-document.ts";

const POWER = "10^12 m and 101_2 H2O, XIXe, 3º";
const title = "powers and indices stay apart from what is before them";
/** Runs of text with their heights. */
const RUNS = "10|0 1|1 2+|1 m+and+101|0 2+|-1 H|0 2|-1 O,+XIX|0 e|1 ,+3|0 º|1"
  .split(" ")
  .map((run) => run.replaceAll("+", " ").split("|"));
const runs = (write: (text: string, height: number) => string) =>
  RUNS.map(([text = "", height]) => write(text, Number(height))).join("");

const name = (height: number) => ["subscript", "baseline", "superscript"][height + 1];
reads("a.docx", {
  [title]: [
    docx(
      `<w:p>${runs((text, height) => `<w:r><w:rPr><w:vertAlign w:val="${name(height)}"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`)}</w:p>`,
    ),
    POWER,
  ],
});
reads("a.xlsx", {
  [title]: [
    xlsx('<row><c t="s"><v>0</v></c></row>', {
      strings: `<si>${runs((text, height) => `<r><rPr><vertAlign val="${name(height)}"/></rPr><t>${text}</t></r>`)}</si>`,
    }),
    `# Log\n\n${POWER}`,
  ],
});
reads("a.pptx", {
  [title]: [
    pptx([
      `<p:sp><a:p>${runs((text, height) => `<a:r><a:rPr baseline="${height * 25000}"/><a:t>${text}</a:t></a:r>`)}</a:p></p:sp>`,
    ]),
    `# ${POWER}`,
  ],
});
reads("a.odt", {
  [title]: [
    odf(
      "text",
      `<text:p>${runs((text, height) => `<text:span text:style-name="s${height}">${text}</text:span>`)}</text:p>`,
      {
        styles: ["sub 58%", "0% 100%", "33% 58%"]
          .map(
            (position, at) =>
              `<style:style style:name="s${at - 1}" style:family="text"><style:text-properties style:text-position="${position}"/></style:style>`,
          )
          .join(""),
      },
    ),
    POWER,
  ],
});
reads("a.rtf", {
  [title]: [
    bytesOf(
      `{\\rtf1 ${runs((text, height) => `{${["\\sub", "\\nosupersub", "\\super"][height + 1]} ${text.replace("º", "\\u186?")}}`)}}`,
    ),
    POWER,
  ],
});

const footnote = "{\\super\\chftn}{\\footnote {\\super\\chftn} About 10{\\super 6}.}";
reads("notes.rtf", {
  "powers stay apart in notes": [
    bytesOf(`{\\rtf1 Word${footnote}}`),
    "Word[^1]\n\n[^1]: About 10^6.",
  ],
});

test("a raised number that is a link names no note", () => {
  const text = new LinkedText();
  text.add("Word");
  text.openLink("https://example.com/a");
  text.add("1", 1);
  text.closeLink();
  expect(text.take()).toBe("Word[1](https://example.com/a)");
});

test("a letter that is a power is no ending of a word", () => {
  expect(["n", "N", "3"].map((before) => markExponent("a", before))).toEqual(["^a", "^a", "a"]);
});
