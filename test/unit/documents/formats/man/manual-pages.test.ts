import { gzipSync } from "fflate";
import { expect, it } from "vitest";

import { bytesOf, extract, reads } from "../../../../support/read-document.ts";

const TITLE = '.\\" made by hand\n.TH OIL 1 "May 2026"\n';
const HEADED = "# OIL(1)\n\n";

it("reads a page by its ending and its first macro, packed or not", async () => {
  const page = ".TH OIL 8\n.SH NAME\noil \\- oils hinges\n";
  const whole = "# OIL(8)\n\n## NAME\n\noil - oils hinges";
  const { title, markdown } = await extract("oil.8", page);
  expect({ title, markdown }).toEqual({ title: "OIL(8)", markdown: whole });
  expect((await extract("oil.8ssl.gz", gzipSync(bytesOf(page)))).markdown).toBe(whole);
  expect((await extract("notes.txt", page)).markdown).toBe(page);
  expect((await extract("notes.1", "Version 1 of the notes.")).markdown).toMatch(/^Version 1/);
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
  "a heading that ends literal text": [`${TITLE}.nf\na\n.SH B \\" so\nc`, /a\n```\n\n## B\n\nc$/],
  "no distances, and no definitions with an end of their own": [
    `${TITLE}.PD 0\n.de X END\nlost\n.\n.END\n.ig\n.B lost\n..\n5 \\(de \\*(zz.\\`,
    `${HEADED}5 ° .`,
    "1 special character or string left out",
  ],
  "a definition that never ends": [`${TITLE}a\n.de X\nlost`, `${HEADED}a`, "the file ends early"],
  "that its text is in another page": [".so man8/oil.8\n", new Error("its text is in man8/oil.8")],
  "references of mdoc": [`${TITLE}.%A Ann Berg`, `${HEADED}Ann Berg`],
  "pages of mdoc": [
    ".Dd May 1, 2026\n.Dt OIL 1\n.Os\n.Sh NAME\n.Nm oil\n.Nd oils hinges",
    "May 1, 2026\n\n# OIL(1)\n\n## NAME\n\noil\noils hinges",
  ],
});
