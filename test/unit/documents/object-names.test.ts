import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { extractDocument } from "../../../src/documents/extract-document.ts";

const markdownOf = async (name: string, bytes: Uint8Array) =>
  (await extractDocument({ name, mimeType: null, bytes })).markdown;

const docx = (body: string) =>
  zipSync({
    "_rels/.rels": strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body>${body}</w:body></w:document>`,
    ),
  });
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** Documents may use names that every object of JavaScript has something under. */
it.each([
  [
    "language of a class",
    "a.html",
    strToU8(`<pre class="language-constructor">x = 1</pre>`),
    "```constructor\nx = 1\n```",
  ],
  [
    "language of an attribute",
    "a.html",
    strToU8(`<pre data-lang="__proto__">x = 1</pre>`),
    "```__proto__\nx = 1\n```",
  ],
  ["control word", "a.rtf", latin1(String.raw`{\rtf1 a\constructor  b}`), "a b"],
  [
    "element of Word",
    "a.docx",
    docx(
      "<w:p><w:__proto__/><w:__defineGetter__></w:__defineGetter__><w:r><w:t>a b</w:t></w:r></w:p>",
    ),
    "a b",
  ],
  [
    "element of a formula",
    "a.docx",
    docx("<w:p><m:oMath><m:constructor><m:r><m:t>x</m:t></m:r></m:constructor></m:oMath></w:p>"),
    "x",
  ],
])("reads an object's own name as any other: %s", async (_what, name, bytes, expected) => {
  expect(await markdownOf(name, bytes)).toContain(expected);
});
