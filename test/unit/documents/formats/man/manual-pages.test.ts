import { gzipSync } from "fflate";
import { expect, it } from "vitest";
import { extractDocument } from "../../../../../src/documents/extract-document.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const read = (name: string, text: string) =>
  extractDocument({ name, mimeType: "text/plain", bytes: utf8(text) });
const body = async (text: string) =>
  (await read("oil.1", `.\\" made by hand\n.TH OIL 1 "May 2026"\n${text}`)).markdown.replace(
    /^# .*\n\n/,
    "",
  );

it("reads a page by its ending and its first macro, packed or not", async () => {
  const page = ".TH OIL 8\n.SH NAME\noil \\- oils hinges\n";
  const whole = "# OIL(8)\n\n## NAME\n\noil - oils hinges";
  const { title, markdown } = await read("oil.8", page);
  expect({ title, markdown }).toEqual({ title: "OIL(8)", markdown: whole });
  const bytes = gzipSync(utf8(page));
  expect(await extractDocument({ name: "oil.8ssl.gz", mimeType: null, bytes })).toMatchObject({
    markdown: whole,
  });
  expect((await read("notes.txt", page)).markdown).toBe(page);
  expect((await read("notes.1", "Version 1 of the notes.")).markdown).toBe(
    "Version 1 of the notes.",
  );
});

it.each([
  [
    "fonts and escapes",
    ".B oil\n\\fIhinge\\fR\\|s caf\\('e \\(em \\[u00FC] \\e\n.BR lock (8).",
    "oil hinges café — ü \\ lock(8).",
  ],
  [
    "tagged paragraphs",
    ".TP\n.B \\-a\nAll.\n.IP\nMore.\n.TP\n.B \\-b\n.TQ\n.B \\-c\nSome.",
    "- -a\n  All.\n\n   More.\n- -b, -c\n  Some.",
  ],
  ["tags without a text", ".TP\n.B \\-a\n.PP\nMore.", "- -a\n\nMore."],
  ["lists", ".IP \\(bu 2\nOne\n.IP \\(bu\nTwo\n.IP 1.\nThree", "- One\n- Two\n1. Three"],
  [
    "tags above what is indented, as DocBook writes them",
    ".PP\n\\fB\\-n\\fR\n.RS 4\nDry.\n.RE\n.PP\nEnd.",
    "- -n\n  Dry.\n\nEnd.",
  ],
  [
    "bullets drawn by movements",
    ".RS 4\n.ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.IP \\(bu 2\n.\\}\nOne\n.RE",
    "- One",
  ],
  ["literal text", "So:\n.nf\n  oil \\-a\n.fi\nEnd.", "So:\n\n```\n  oil -a\n```\n\nEnd."],
  [
    "macros and strings of its own",
    ".de Vs\n\\\\$1 of \\\\$2\n..\n.ds X oil\n.Vs tin \\*X",
    "tin of oil",
  ],
  ["tables as they stand", ".TS\nl l.\nA\tB\n.TE", "```\nl l.\nA\tB\n```"],
  ["links", ".UR https://example.org\nhere\n.UE .", "<https://example.org> here."],
])("man: %s", async (_what, text, markdown) => {
  expect(await body(text)).toBe(markdown);
});

it("refuses pages that use mdoc, and says how to convert them", async () => {
  await expect(read("oil.1", ".Dd May 1, 2026\n.Dt OIL 1\n.Os\n.Sh NAME\n")).rejects.toThrow(
    "manual page uses mdoc; convert it with mandoc -T markdown",
  );
});

it("says where the text of a page is that only names another", async () => {
  await expect(read("oil.1", ".so man8/oil.8\n")).rejects.toThrow("its text is in man8/oil.8");
});

it("ends with macros and strings that grow without end", async () => {
  const macros = ".de A\n.B\n.B\n..\n.de B\n.A\n.A\nx\n..\n".replaceAll("B", "C") + ".A\n";
  const strings = `.ds X ${"x".repeat(4_000)}\n${"\\*X".repeat(100_000)}\n`;
  expect(await body(`${macros}${strings}\nThe end.`)).toContain("The end.");
});
