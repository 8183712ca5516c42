import { expect, it } from "vitest";

import { extract as readDocument } from "../../../../support/read-document.ts";

const readNotebook = (notebook: object) => readDocument("a.ipynb", JSON.stringify(notebook));
const ran = (...outputs: object[]) => ({
  nbformat: 4,
  cells: [{ cell_type: "code", source: "run()", outputs }],
});
const code = (text: string) => `\`\`\`\n${text}\n\`\`\``;
const RUN = "```python\nrun()\n```";

it("keeps what a notebook's code gave", async () => {
  const result = { output_type: "execute_result", data: { "text/plain": ["42 ", "boats"] } };
  const display = { output_type: "display_data", data: { "text/plain": "high water" } };
  const { markdown, notes } = await readNotebook(ran(result, display));
  expect(markdown).toBe([RUN, code("42 boats"), code("high water")].join("\n\n"));
  expect(notes).toEqual([]);
});

it("keeps a bar of progress as it ended", async () => {
  const { markdown } = await readNotebook(
    ran({ text: ["\r 1%", "\r 50%", "\r100%\r\n", "Done\n"] }),
  );
  expect(markdown).toBe(`${RUN}\n\n${code("100%\nDone")}`);
});

it("keeps a table once, as its plain text, and no name of a picture", async () => {
  const html = "<table><tr><th>quay<th>depth<tr><td>3<td>4.5</table>";
  const table = { data: { "text/plain": "  quay depth\n0 3 4.5", "text/html": [html] } };
  const picture = { data: { "image/png": "iVBO", "text/plain": "<Figure size 640x480>" } };
  const { markdown } = await readNotebook(ran(table, picture));
  expect(markdown).toBe(`${RUN}\n\n${code("  quay depth\n0 3 4.5")}`);
});

it("keeps the name of an object that nothing else shows", async () => {
  const { markdown } = await readNotebook(ran({ data: { "text/plain": "<Lock 7>" } }));
  expect(markdown).toBe(`${RUN}\n\n${code("<Lock 7>")}`);
});

it("keeps pages, Markdown and formulas that plain text only names", async () => {
  const name = "<IPython.core.display.HTML object>";
  const page = { data: { "text/plain": name, "text/html": "<p>High <b>water</b></p>" } };
  const words = { data: { "text/plain": [name], "text/markdown": ["**Low** water<!-- x -->"] } };
  const formula = { data: { "text/plain": [name], "text/latex": ["$$E = mc^2 $$\n", "of tides"] } };
  const { markdown, notes } = await readNotebook(ran(page, words, formula));
  expect(markdown).toBe(
    [RUN, "High water", "**Low** water", "$$E = mc^2 $$\nof tides"].join("\n\n"),
  );
  expect(notes).toEqual(["1 HTML comment removed"]);
});

it.each(["[],", "7,"])("refuses more values than memory takes: %s", async (part) => {
  const text = `{"nbformat":4,"metadata":{},"cells":[],"x":[${part.repeat(1_000_001)}`;
  const reading = readDocument("a.ipynb", text);
  await expect(reading).rejects.toThrow("notebook has too many values; clear its largest outputs");
});

it("counts no brackets and commas of what is written and printed", async () => {
  const source = `tides "${"[[{,".repeat(200_000)}`;
  const { markdown } = await readNotebook({ nbformat: 4, cells: [{ cell_type: "code", source }] });
  expect(markdown).toContain(source);
});

it("keeps the error that a cell ended with", async () => {
  const error = { output_type: "error", ename: "ValueError", evalue: "no tide", traceback: ["x"] };
  expect((await readNotebook(ran(error))).markdown).toBe(
    `${RUN}\n\n${code("ValueError: no tide")}`,
  );
});

it("cuts an output that no one reads, and says so", async () => {
  const { markdown, notes } = await readNotebook(
    ran({ data: { "text/plain": "tide ".repeat(100_000) } }),
  );
  expect(markdown.length).toBeLessThan(300_000);
  expect(notes).toEqual(["1 output cut at 262144 characters"]);
});

it("leaves out comments and hidden elements of its pages, and says so", async () => {
  const cells = [
    { cell_type: "markdown", source: "# Tides <!-- secret -->\n\nHigh" },
    { cell_type: "markdown", source: ["<!-- secret\n", "-->`<!--` begins one"] },
    ran({ data: { "text/html": "<p>Low<i hidden>secret</i>" } }).cells[0],
  ];
  const document = await readNotebook({ nbformat: 4, cells });
  expect(document.markdown).toMatch(/Low/);
  expect(document.markdown).not.toContain("secret");
  expect(document).toMatchObject({
    title: "Tides",
    notes: ["2 HTML comments removed", "1 hidden element removed"],
  });
});

it("reads notebooks of nbformat 3", async () => {
  const cells = [
    { cell_type: "heading", level: 2, source: "Low" },
    { cell_type: "heading", level: 1, source: ["High ", "tide"] },
    {
      cell_type: "code",
      input: ["tide(", "7)"],
      outputs: [{ output_type: "pyout", text: ["4.2 m"] }],
    },
  ];
  expect(await readNotebook({ nbformat: 3, metadata: {}, worksheets: [{ cells }] })).toMatchObject({
    title: "High tide",
    markdown: "## Low\n\n# High tide\n\n```python\ntide(\n7)\n```\n\n```\n4.2 m\n```",
  });
});
