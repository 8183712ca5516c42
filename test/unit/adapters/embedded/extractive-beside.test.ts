import { expect, test } from "vitest";

import { answer } from "./asked.ts";

const CLOSEST = "The documents do not say it outright; closest is:\n\n";
const SOURCE = /\n\nSource: [^]*$/;

const from = (file: string, text: string) => ({ source: `shop: ${file}`, text });

/** Passages of other documents, which the search found beside the one that answers. */
const OTHERS = [
  from("returns.md", "Goods come back within two weeks."),
  from("staff.md", "The counter is staffed by two people."),
];

test.each([
  [
    "in a remark",
    "How do I descale a kettle?",
    "Call the workshop (they descale a kettle within a day).",
  ],
  [
    "of a special case",
    "How do I open the till?",
    "If the power fails, you can open the till with the small key.",
  ],
  [
    "as a condition alone",
    "How do I start the pump at night?",
    "While you start the pump at night, you must use ear protectors.",
  ],
  [
    "for another end",
    "How do I export invoices?",
    "To export the yearly list of unpaid supplier invoices for external auditors, press F9.",
  ],
  [
    "as possible, not by which means",
    "How do I print receipts?",
    "You can print receipts easily as well.",
  ],
  [
    "of something that stands before it",
    "How do I clean brass?",
    "You can use this to clean brass.",
  ],
  [
    "of all, not of one",
    "How do I empty one rack of the store?",
    "Use the lift to empty all racks of the store.",
  ],
  [
    "in praise",
    "How do I descale kettles by steam?",
    "## Features\n\n- Kettles can be descaled by steam",
  ],
  [
    "by an option that keeps from it",
    "How do I keep backups of ledgers?",
    "  --no-backups\n    Keep ledgers and no backups of them.",
  ],
  ["as what the thing is", "Which lamp functions does it have?", "A library of lamp functions."],
  [
    "done to something else",
    "How do I polish brass lamps in the hall?",
    "To polish tables below the brass lamps in the hall, use wax.",
  ],
  [
    "made of another kind",
    "How do I make a paper lamp at the table?",
    "Make glass lamps at the table, next to paper ones, with a mould.",
  ],
  [
    "by an option for less than is asked",
    "How do I export a list of lamps?",
    "  --export-cellar-list\n    Export a list of lamps to the file.",
  ],
  [
    "by a command for more than is asked",
    "How do I light a lamp?",
    "  light-hall\n    Light each lamp and the bells of the hall.",
  ],
  [
    "as what happens in a case, in a list",
    "How do I limit the lamp size with shop?",
    "- If a configured lamp size limit was reached, `stream` has a property `cut` and emits 'limit' to tell you.",
  ],
  [
    "as the reason, not the means",
    "How do I show the stock of a store with ledger?",
    "You must call Ann to ensure that the ledger shows the stock of the store.",
  ],
  [
    "as one form of several",
    "How do I bake a lamp in the hall?",
    "The second form is used by baking a lamp in the hall.",
  ],
  [
    "as a title in other words",
    "How do I mend a red lamp?",
    "# Shop\n\nMend a red lamp with ease.",
  ],
  [
    "as a feature with code in another",
    "How do I dim lamps with a knob?",
    "## Features\n\n- Lamps dim with a knob\n- Has a `bell`",
  ],
  ["as a page to see", "Which lamps does the hall have?", "See `Hall.lamps`."],
  [
    "as a synopsis",
    "What does lamp -w do?",
    "lamp [-a | --all] [-w | --white]\n    [-v | --void] [-i | --in-house] [-w | --white-lamp]",
  ],
  ["as a duty", "How do I oil the lamp hinge?", "Before winter, you must oil the lamp hinge."],
  [
    "as what holds before",
    "How do I call the lamp desk of the hall?",
    "By default, whoever calls the lamp desk of the hall must be shown the bell, so that you can use it.",
  ],
  ["as a default alone", "What does lamp mode do?", "Lamp mode is enabled by default for halls."],
  [
    "as a type alone",
    "What does lamp mode do?",
    "## Lamp mode\n\n- Type: Boolean\n- Default: `false`",
  ],
  ["as what is imported", "Which lamps does hall have?", "- `require('hall/lamps')`"],
  [
    "as what leads to a list that is not there",
    "What does the lamp option of shop do?",
    "- _`options.lamp` can be set to an object in order to adjust it:_",
  ],
])("words that stand beside what is asked are only the closest: %s", async (_how, asked, text) => {
  expect(await answer(asked, [from("shop.md", text), ...OTHERS])).toContain(CLOSEST);
});

test("what is done must stand in the quotation, also of the document that is named", async () => {
  const question = "How do I archive monthly paid entries in ledger?";
  const see = "Use `find` to see the monthly paid entries of the ledger.";
  const archive = see.replace("see", "archive");
  const said = (text: string) => answer(question, [from("ledger/README.md", text), ...OTHERS]);
  expect(await said(see)).toContain(CLOSEST);
  expect(await said(archive)).toMatch(/^Use `find` to archive/);
});

test.each([
  ["What is enabled by default in the hall?", "Lamp mode is enabled by default in the hall."],
  ["How do I polish brass lamps?", "To polish small brass lamps in the hall, use wax."],
  ["How do I roll back a shipment?", "To roll back, call the shipment desk."],
  [
    "How do I limit the ship rate?",
    "  --limit-rate=N\n    Limit the speed of the ship to N knots.",
  ],
  ["How do I fold or pleat a sail?", "Fold or pleat the sail with two hands."],
  ["How do I color lamps?", "The `color` format can be used to color lamps."],
  [
    "How do I pair the red lamp?",
    "Press the button until the bell rings, then let go to pair the red lamp.",
  ],
  ["How can one list lamps of the hall?", "Use the desk to list all lamps of the hall."],
  ["How do I melt all candles into one?", "Use the oven to melt all candles."],
  ["How do I sort by numbers?", "  --sort-numeric\n    Sort by numbers."],
  [
    "How do I pause a queue?",
    "You should pause a queue before maintenance. Call `queue.pause()` to pause a queue.",
  ],
  ["What is strict mode?", "Strict mode is enabled by default and refuses unknown fields."],
  [
    "What does the lamp cache do?",
    "The lamp cache, which is enabled by default, keeps the lamps of the hall warm.",
  ],
])("what is done to what is asked, in other words, is the answer: %s", async (asked, text) => {
  expect(await answer(asked, [from("shop.md", text), ...OTHERS])).not.toContain(CLOSEST);
});

test("a sentence that is cut answers for sure only by what is shown of it", async () => {
  const filler = "brown boxes and green bags and ".repeat(60);
  const said = (text: string) =>
    answer("How many lamps has the cellar?", [from("stock.md", text), ...OTHERS]);
  expect(await said(`The cellar has ${filler} in it 31 lamps.`)).toContain(CLOSEST);
  const shown = await said(`The cellar has 31 lamps and ${filler} more.`);
  expect(shown).toMatch(/^The cellar has 31 lamps and/);
  expect(shown).toContain(" …\n\nSource: ");
});

test("an option's line alone is no answer", async () => {
  const question = "What does kettle --keep-warm do?";
  const line = "-k, --keep-warm=MINUTES";
  const said = (text: string) => answer(question, [from("kettle.1.txt", text), ...OTHERS]);
  expect(await said(line)).toContain(CLOSEST);
  expect(await said(`${line}\n    Keeps water warm.`)).toBe(
    `${line}\nKeeps water warm.\n\nSource: shop: kettle.1.txt`,
  );
});

test("a document whose name the question spells goes before one that shares its words", async () => {
  const question = "Which values does is-lamp accept as a lamp?";
  const text = "It accepts as a lamp values such as bulbs.";
  const lamps = [from("big-lamp/README.md", text), from("is-lamp/README.md", "It is fast.")];
  expect(await answer(question, lamps)).toContain(CLOSEST);
  expect(await answer(question, [from("is-lamp/README.md", text), ...OTHERS])).not.toContain(
    CLOSEST,
  );
});

test("a heading that asks the question is enough beside a document of a like name", async () => {
  const section =
    "## How to get the lamp address of a lodger?\n\nThe lamp address can be obtained from Ann.";
  const named = from("lamp-address/README.md", "Lamp addresses are short.");
  const said = await answer("How do I get the lamp address of a lodger?", [
    from("house.md", section),
    named,
  ]);
  expect(said).toMatch(/^The lamp address can be obtained from Ann\./);
});

test("a section's beginning leaves room for what answers best", async () => {
  const filler = (word: string) => `${`${word} `.repeat(30).trim()} stand there.`;
  const best = `To paint a fence, use the ${"broad ".repeat(45)}brush.`;
  const section = `## How to paint a fence\n\n${filler("fence")}\n\n${filler("posts")} ${best}`;
  const said = await answer("How do I paint a fence?", [from("paint.md", section), ...OTHERS]);
  const quoted = said.replace(SOURCE, "");
  expect(quoted).toContain(best);
  expect(quoted.length).toBeLessThanOrEqual(500);
});

test.each([
  ["a text without an end", "reset the flibber now and then ".repeat(6_000)],
  ["one that opens parentheses", `reset the flibber ${"( reset flibber ".repeat(9_000)}`],
  ["one of conditions", `You can reset the flibber ${"if when unless ".repeat(9_000)}`],
  ["one of verbs", `Reset the flibber ${"to reset ".repeat(40_000)}`],
  ["an endless option", `-a ${"-b ".repeat(40_000)}\n    Reset the flibber.`],
  ["a script without spaces", `reset the flibber ${"รีเซ็ต".repeat(20_000)}`],
])("a quotation has an end: %s", async (_of, text) => {
  const said = await answer("How do I reset the flibber?", [from("reset.md", text), ...OTHERS]);
  expect(said.length).toBeLessThan(3_500);
});

test.each([
  ["German", "Wie viele Lampen hat der Saal?", "Der Saal hat zwölf Lampen."],
  ["French", "Combien de lampes sont dans la salle ?", "Dans la salle sont dix lampes."],
  ["Spanish", "¿Cuántas lámparas hay en la sala?", "En la sala hay once lámparas."],
  ["Italian", "Quante lampade ha la sala?", "La sala ha sei lampade."],
  ["Portuguese", "Quantas lâmpadas estão na sala?", "Na sala estão três lâmpadas."],
])("a number in words answers a question in its own language: %s", async (_of, question, text) => {
  expect(await answer(question, [from("hall.md", text), ...OTHERS])).toBe(
    `${text}\n\nSource: shop: hall.md`,
  );
});

test.each([
  ["How many lamps has hall Siete?", "Hall Siete has lamps."],
  ["How many lamps are due on the dos page?", "Lamps on the dos page are due."],
  ["Wie viele Lampen hat die Halle Dix?", "Die Halle Dix hat Lampen."],
  ["Combien de lampes sont dans la salle Sei ?", "Dans la salle Sei sont des lampes."],
])("a word that is a number in another language is none: %s", async (question, text) => {
  expect(await answer(question, [from("hall.md", text), ...OTHERS])).toContain(CLOSEST);
});

test.each([
  ["How many lamps are in the store?", "The store has two hundred lamps.", null],
  ["How many lamps are in the store?", "The store has 3 million lamps.", null],
  ["How many lamps are in the store?", "The store has two hundred and fifty lamps.", null],
  ["Combien de lampes sont dans la salle ?", "Dans la salle sont vingt-six lampes.", null],
  ["How many lamps are in the store?", "The store has four and a half lamps.", null],
  ["How many lamps has the cellar?", "The store has 31 lamps and the cellar 180 lamps.", null],
  ["How many lamps are in the store?", "The store has twenty-six lamps.", 26],
])("a value is neither a part of a number nor one of two: %s %s", async (question, text, lamps) => {
  const properties = { lamps: { type: ["integer", "null"] } };
  const schema = { type: "object", required: ["lamps"], properties };
  expect(JSON.parse(await answer(question, [text], schema))).toEqual({ lamps });
});
