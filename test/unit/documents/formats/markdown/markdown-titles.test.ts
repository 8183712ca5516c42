import { expect, it } from "vitest";

import { extract } from "../../../../support/read-document.ts";

it("keeps Markdown as it is, and takes title and language from its front matter", async () => {
  const text = "---\ntitle: 'The plan'\nlang: fr\n---\n\n* a *b*\n\n\n1) c\n";
  expect(await extract("a.md", text)).toMatchObject({
    markdown: text,
    title: "The plan",
    language: "fr",
  });
  expect((await extract("b.md", "Intro\n\nSetext title\n===\n")).title).toBe("Setext title");
  const successive = await extract("d.md", "# Oil\n# Paint\n\n```sh\n# a\n# b\n```\n");
  expect(successive).toMatchObject({
    title: "Oil",
    markdown: "# Oil\n\n# Paint\n\n```sh\n# a\n# b\n```\n",
  });
});

it.each([
  "# [![npm](a.svg)](https://x.test) `Oil` <sup>[![ci][1]][2]</sup>\n\nText\n",
  "[![npm][badge]][package]\n[![ci](a.svg)](b)\nOil\n===\n\nText\n",
  '<div>\n  <h1 class="a">\n\n  <img src="a.png" alt="Logo">\n  <u>Oil</u></h1>\n</div>\nText\n',
  '## Sponsors\n\n<h3 align="center"><img src="a.png" alt="Oil"></h3>\n\n## Use\n\nText\n',
])("takes the title of a Markdown file from %j", async (markdown) => {
  expect(await extract("c.md", markdown)).toMatchObject({ title: "Oil", markdown });
});
