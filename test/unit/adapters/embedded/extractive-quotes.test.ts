import { expect, test } from "vitest";

import { answer } from "./asked.ts";

const CLOSEST = "The documents do not say it outright; closest is:\n\n";

const from = (file: string, text: string) => ({ source: `shop: ${file}`, text });

/** Passages of other documents, which the search found beside the one that answers. */
const OTHERS = [
  from("returns.md", "Goods come back within two weeks."),
  from("staff.md", "The counter is staffed by two people."),
];

/** Returns the quotation from one document, without its source. */
async function quoted(question: string, text: string, file = "shop.md"): Promise<string> {
  const reply = await answer(question, [from(file, text), ...OTHERS]);
  return reply.slice(0, reply.indexOf("\n\nSource:"));
}

const FILLER = "Lamps are dusted in the hall on every other Friday by two people. "
  .repeat(8)
  .trim();

test.each([
  [
    "the step before",
    "What to do when a battery is smoking?",
    "Leave the building first. When a battery is smoking, close the door behind you.",
  ],
  [
    "the paragraph before",
    "What to do when a battery is smoking?",
    "Leave the building first.\n\nWhen a battery is smoking, close the door behind you.",
  ],
  [
    "who may not",
    "Can mechanics work from home?",
    "Office staff can work from home two days a week. Mechanics cannot.",
  ],
  [
    "a whole list with what introduces it",
    "What must a tenant never store in the cellar?",
    "A tenant must never store in the cellar:\n\n- petrol,\n- gas,\n- paint, **unless** sealed.",
  ],
  [
    "a list that a short sentence without a colon introduces",
    "What must a tenant store in the cellar?",
    `A tenant must not store in the cellar\n\n- petrol and gas,\n- ${FILLER} ${FILLER}\n- paint.`,
  ],
  [
    "an exception that follows",
    "May guests use the sauna?",
    `Guests may use the sauna. ${FILLER} ${FILLER}\n\nExcept on Mondays, when it is cleaned.`,
  ],
  [
    "code with what it shows",
    "How do I resume a download?",
    "To resume a download, use this:\n\n```sh\ncurl -C - \\\n  -O URL\n```",
  ],
  [
    "all paragraphs below a term",
    "What does tin --open do?",
    "  -o, --open\n      Removes the lid of the tin.\n\n      Never use it on a hot tin.",
  ],
  [
    "an item's paragraph and code",
    "How do I open the tin?",
    "1. Open the tin with the key.\n\n   Use no force:\n\n   ```sh\n   tin open\n   ```\n\n2. Keep the key.",
  ],
  [
    "a table with what introduces it",
    "Which type has the option lid?",
    "Each option of a lid has a type:\n\n| Option | Type |\n| --- | --- |\n| lid | text |\n| key | number |",
  ],
  ["a Hindi sentence", "साइकिल लौटाने की अंतिम तिथि?", "साइकिल लौटाने की अंतिम तिथि हर शुक्रवार को है।"],
])("a block is quoted whole, as it is written: %s", async (_what, question, text) => {
  expect((await quoted(question, text)).replace(CLOSEST, "")).toBe(text);
});

test("of a long section the block that answers is quoted, and no other", async () => {
  const sentence = "Report sick leave by calling the desk.";
  const text = `# Staff\n\n## Sick leave\n\n${FILLER}\n\n${sentence}\n\n${FILLER}`;
  expect(await quoted("How do I report sick leave?", text)).toBe(sentence);
});

test.each([
  [
    "a table of contents",
    "- [Opening a tin](#opening)\n- [Closing a tin](#closing)\n\n## Opening a tin\n\n",
  ],
  ["badges", "[![Tin 1.1](https://b.example/tin.svg)](https://tin.example/)\n\n"],
  ["settings of a page", "---\ntitle: Tin\ndescription: Opens a tin\n---\n\n"],
  ["a synopsis", "SYNOPSIS\n  tin open [--key] a tin\n\n"],
])("what says nothing is not quoted: %s", async (_what, before) => {
  const sentence = "To open a tin, turn the key twice.";
  expect((await quoted("How do I open a tin?", `${before}${sentence}`, "tin.md")).trim()).toBe(
    sentence,
  );
});

test.each([
  ["its headings", "tin.md › Tin › `open()`", "It opens a tin.", "tin.md › Tin › `open()`"],
  [
    "the heading of a passage",
    "tin.md",
    "# Tin\n\n## Opening\n\nA key opens a tin.",
    "tin.md › Opening",
  ],
  ["an underlined title", "tin.md", "Opening\n=======\n\nA key opens a tin.", "tin.md › Opening"],
])("the source names the place: %s", async (_what, source, text, place) => {
  const reply = await answer("What opens a tin?", [{ source: `shop: ${source}`, text }]);
  expect(reply).toContain(`\n\nSource: shop: ${place}`);
});

/** Why not | the question | what stands in the passage; `⏎` for a line break */
const BESIDE = `
a word is missing | Which colour has a kettle repaired by the fair? | A kettle is repaired by the fair.
it asks for a number | How many kettles are repaired? | A kettle is repaired by the days of the fair.
it asks for what does not hold | Which odd lines do not hold words? | Odd lines hold words.
a figure is another one | Is a kettle repaired by day 9.1? | A kettle is repaired by day 9.
a type is another one | What is the weight of kettle B200? | The weight of kettle B300 is 2 kg.
an option is another one | What does tin -v do? | -m, --most <lines>⏎    With -v tin stops.
an option has another case | What does tin -v do? | -V, --version⏎    What tin is it: v 2.
a name is another one | What does ensureDir do? | \`ensureDirSync\` does the same at once.
a name is only mentioned | What is the default of work_mem? | \`hash_mem\` multiplies work_mem. The default is 2.0.
a heading is another name | What is the default of work_mem? | ## hash_mem⏎⏎Multiplies work_mem. The default is 2.0.
its beginning is in another passage | What must a tenant store in the cellar? | - a tenant stores petrol in the cellar,⏎- gas.
its few words may be about something else | Which tins are opened? | Tins are opened.
what it leads to is in another passage | How do I open tins? | To open tins, use this:
its words stand in two sentences | What is the total revenue of the booking order? | The revenue of a booking order counts on the day of the event. The total of a month is closed later.`;

const withLineBreaks = (cell: string) => cell.replaceAll("⏎", "\n");
const rowsOf = (table: string) => table.split("\n").filter(Boolean);

test.each(rowsOf(BESIDE))("what does not bind the question is not certain: %s", async (row) => {
  const [, question = "", text = ""] = row.split(" | ").map(withLineBreaks);
  const reply = await answer(question, [from("shop.md", text), ...OTHERS]);
  expect(reply).toMatch(/^The documents do not (?:seem to say\.$|say it outright)/);
});

test("what stands in a passage that another one beat is not certain", async () => {
  const passage = from("shop.md", "A kettle is repaired within nine days.");
  const reply = await answer("Within how many days is a kettle repaired?", [...OTHERS, passage]);
  expect(reply).toBe(`${CLOSEST}${passage.text}\n\nSource: ${passage.source}`);
});

const BINDING = `
What is the default of work_mem? | work_mem (integer)⏎    Sets the memory (default: 4MB).
What does tin -v do? |   -v, --void=<x>⏎    Empties the tin.
Which odd lines of a page do not hold words? | Odd lines of a page hold no words.
Within how many days is a kettle repaired? | A kettle is repaired within nine days.
What is the weight of kettle B200? | The weight of kettle B200 is 2 kg.`;

test.each(rowsOf(BINDING))("what binds it is the answer: %s", async (row) => {
  const [question = "", text = ""] = row.split(" | ").map(withLineBreaks);
  expect(await quoted(question, text)).toBe(text);
});

test("a document that the question names goes before another that says the same", async () => {
  const text = "A namespace is excluded with a minus. Use it in the list.";
  const passages = [from("otter/README.md", text), from("walrus/README.md", text)];
  const reply = await answer("How do I exclude a namespace with walrus?", passages);
  expect(reply).toContain("Source: shop: walrus/README.md");
});

test.each([
  ["German", "Wie hoch ist die Kaution?", "Die Kaution beträgt drei Mieten."],
  ["French", "Combien de livres peut-on emprunter ?", "On emprunte huit livres."],
  ["Spanish", "¿Cuánto cuesta la entrada?", "La entrada cuesta 4 euros."],
  ["Italian", "Quanto costa l'abbonamento?", "L'abbonamento costa 45 euro."],
  ["Portuguese", "Quem é o síndico?", "O síndico é Paulo Andrade."],
  ["Japanese", "昼休みは何時からですか？", "昼休みは12時から1時間です。"],
  ["Chinese", "每位读者可以借多少本书？", "每位读者最多可以借十本书。"],
])("the words that ask are known: %s", async (_language, question, text) => {
  expect(await quoted(question, text, "haus.md")).toContain(text);
});
