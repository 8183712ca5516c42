import { gzipSync } from "fflate";
import { expect, it } from "vitest";
import { bytesOf, read, reads } from "../../../../support/read-document.ts";

const TITLE = '.\\" made by hand\n.TH OIL 1 "May 2026"\n';
const HEADED = "# OIL(1)\n\n";

it("reads a page by its ending and its first macro, packed or not", async () => {
  const page = ".TH OIL 8\n.SH NAME\noil \\- oils hinges\n";
  const whole = "# OIL(8)\n\n## NAME\n\noil - oils hinges";
  const { title, markdown } = await read("oil.8", page);
  expect({ title, markdown }).toEqual({ title: "OIL(8)", markdown: whole });
  expect((await read("oil.8ssl.gz", gzipSync(bytesOf(page)))).markdown).toBe(whole);
  expect((await read("notes.txt", page)).markdown).toBe(page);
  expect((await read("notes.1", "Version 1 of the notes.")).markdown).toMatch(/^Version 1/);
});

reads("oil.1", {
  "fonts and escapes": [
    `${TITLE}.B oil\n\\fIhinge\\fR\\|s caf\\('e \\(em \\[u00FC] gro\\(ss \\e\n.BR lock (8).`,
    `${HEADED}oil\nhinges café — ü groß \\\nlock(8).`,
  ],
  "tagged paragraphs and bullets": [
    `${TITLE}.TP 4\n.B \\-a\nAll.\n.IP \\(bu 2\nOne\n.PP\nMore.`,
    `${HEADED}-a\nAll.\n\n•\nOne\n\nMore.`,
  ],
  "a heading whose text is on the next line": [`${TITLE}.SS\nSee also\nx`, /\n### See also\n\nx$/],
  "literal text": [
    `${TITLE}So:\n.nf\n  oil \\-a\n\n.fi\nEnd.`,
    `${HEADED}So:\n\n\`\`\`\n  oil -a\n\`\`\`\n\nEnd.`,
  ],
  "no conditions, definitions and entries of an index": [
    `${TITLE}.ie n .ds X oil\n.de Vs\nlost\n..\n.IX Header x\n.\\}\nEnd.`,
    `${HEADED}End.`,
  ],
  "pages of mdoc": [
    ".Dd May 1, 2026\n.Dt OIL 1\n.Os\n.Sh NAME\n.Nm oil\n.Nd oils hinges",
    "May 1, 2026\n\n# OIL(1)\n\n## NAME\n\noil\noils hinges",
  ],
});
