import { expect, test } from "vitest";

import { answer } from "./asked.ts";

/** What is quoted of one document, without its source. */
async function quoted(question: string, passage: string): Promise<string> {
  const said = await answer(question, [passage]);
  return said.slice(0, said.indexOf("\n\nSource:"));
}

test("a table of contents is not quoted, the chapter is", async () => {
  const passage = `- [Opening a tin](#opening)
- [Closing a tin](#closing)

## Opening a tin

Turn the key twice, and the tin is open.`;
  expect(await quoted("How do I open a tin?", passage)).toBe(
    "Turn the key twice, and the tin is open.",
  );
});

test("a list of links is at most the closest", async () => {
  const passage = "## Opening\n\n- [Opening a tin](tin.md)\n- [Opening a jar](jar.md)";
  expect(await quoted("How do I open a tin?", passage)).toContain("do not say it outright");
});

test("badges and addresses of links are not quoted", async () => {
  const passage = `# Tin [![Tin 1.1](https://b.example/tin.svg)](https://tin.example/)

[![Tin 1.1](https://b.example/tin.svg)](https://tin.example/) [![Licence][badge]][licence]

Tin supports [the format][format] 1.1.

[licence]: https://tin.example/licence`;
  const said = await answer("Does tin support 1.1?", [passage]);
  expect(said).toBe("Tin supports the format 1.1.\n\nSource: leave.md › Tin");
});

test("a sentence keeps its line that begins like a link definition", async () => {
  const passage = "The levels of a tin are specified by\n[RFC 1]: they are full and empty.";
  expect(await quoted("What are the levels of a tin?", passage)).toBe(
    "The levels of a tin are specified by [RFC 1]: they are full and empty.",
  );
});

test("headings of a source are without Markdown", async () => {
  const heading = "Tin 'sup'[![Tin](https://b.example/tin.svg)](https://tin.example/)'/sup'";
  const passage = { source: `shop: tin.md › ${heading} › \`open()\``, text: "It opens a tin." };
  expect(await answer("What opens a tin?", [passage])).toBe(
    "It opens a tin.\n\nSource: shop: tin.md › Tin › `open()`",
  );
});

test("a title with a line below it is no part of the sentence", async () => {
  const passage = "Tin-Bar\n=======\n\nA bar that shows how full a tin is.";
  expect(await quoted("What shows how full a tin is?", passage)).toBe(
    "A bar that shows how full a tin is.",
  );
});

test("a list item ends where the text below is less indented", async () => {
  const passage = `     1. Open the tin with the key.

        Keep the key.

   Closing

     Close the tin with the lid.`;
  expect(await quoted("How do I open the tin?", passage)).toBe(
    "     1. Open the tin with the key.\nKeep the key.",
  );
});

test("commands of a manual page keep their lines", async () => {
  const passage = `       Opening and closing a tin:

           $ tin open --key
           $ tin close --lid`;
  expect(await quoted("What opens and closes a tin?", passage)).toBe(
    "Opening and closing a tin:\n$ tin open --key\n$ tin close --lid",
  );
});

test("code whose beginning was cut off stays code", async () => {
  const passage = `watcher.on('open', (tin) => {
  log(tin); // the first one
});

// Stop watching.
watcher.close();
\`\`\`

More is in the handbook.`;
  expect(await quoted("How do I stop watching?", passage)).toContain(
    "// Stop watching.\nwatcher.close();",
  );
});

test("of long code the stanzas that answer are quoted", async () => {
  const other = (at: number) => `// Shelf ${at}.\nshelf${at}.put(box);`;
  const shelves = Array.from({ length: 30 }, (_, at) => other(at)).join("\n\n");
  const passage = `\`\`\`js\n${shelves}\n\n// Open a tin.\ntin.open();\n\n${shelves}\n\`\`\``;
  expect(await quoted("How do I open a tin?", passage)).toMatch(
    /^(?:The documents .*:\n\n)?\/\/ Open a tin\.\ntin\.open\(\);$/,
  );
});

test("a bar in a cell of a table does not end it", async () => {
  const passage = "| Option | Type |\n| --- | --- |\n| `lid` | `'keep' \\| 'drop'` |";
  expect(await quoted("Which type has the option lid?", passage)).toBe(
    "Option: `lid`; Type: `'keep' | 'drop'`",
  );
});

const TIN = `       open [--key] [<tin>]
           Removes the lid. The lid is kept. It closes the tin again.

       $ tin open # all of that
       $ tin close # and back`;

test.each([
  ["a command", "What does tin open do?", TIN, "open [--key] [<tin>]\nRemoves the lid. The lid is"],
  [
    "an option",
    "What does tin -o do?",
    "# tin(1)\n\n       -m\n           With -o a tin does more.\n\n       -o, --open\n           Removes the lid. Uploads keep it.\n\n       Use -o for a tin.",
    "-o, --open\nRemoves the lid. Uploads keep it.",
  ],
])("what explains %s is quoted from its beginning", async (_what, question, passage, expected) => {
  expect(await quoted(question, passage)).toContain(expected);
});

test("lines that were run together are not quoted where a sentence answers", async () => {
  const bars = "tin 1.1 support █▁█▁████▁▁▁▁▁ 50.09 ms 27.91 mb 37.81 mb 3.05 ipc 96.95% ".repeat(
    6,
  );
  expect(await quoted("Does tin support 1.1?", `${bars}\n\nThe tin supports version 1.1.`)).toBe(
    "The tin supports version 1.1.",
  );
});

test("of a name in code no part stands for the whole", async () => {
  const passage = "Ensure that the tin is shut.\n\nensureLidSync: shuts it at once.";
  expect(await quoted("What does ensureLid do?", passage)).toContain("shuts it at once");
});

test("a list of a contract whose items end in semicolons is no code", async () => {
  const passage = `- the seller delivers within 9 days;
- the buyer pays within 30 days;
- risk passes on delivery.`;
  expect(await quoted("Within how many days does the buyer pay?", passage)).toBe(passage);
  const request = `Within how many days does the buyer pay?\n\n${passage}`;
  expect(await answer(request)).toBe(passage);
});

test.each([
  [
    "Hindi",
    "साइकिल लौटाने की अंतिम तिथि?",
    "साइकिल लौटाने की अंतिम तिथि हर महीने के आखिरी शुक्रवार को होती है, और देरी होने पर किरायेदार को दुकान में अतिरिक्त शुल्क देना पड़ता है।",
  ],
  ["Thai", "จักรยาน?", `จักรยาน ${"ต้องคืนภายในสิ้นเดือนและผู้เช่าต้องเสียค่าปรับ".repeat(8)}`],
])("prose is no drawing: %s", async (_script, question, passage) => {
  expect(await quoted(question, passage)).toBe(passage);
});

test("a sentence that speaks of this code brings the one that says which", async () => {
  const says = "The door code 125 opens the side gate.";
  const passage = `Doors have codes. ${says} If a guest types this code twice, the alarm is skipped.`;
  expect(await quoted("Which code typed twice skips the alarm of a guest?", passage)).toBe(
    `${says} If a guest types this code twice, the alarm is skipped.`,
  );
});
