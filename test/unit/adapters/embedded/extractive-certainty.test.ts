import { expect, test } from "vitest";

import { extractiveChat } from "../../../../src/adapters/embedded/extractive-chat.ts";
import { answer, promptOf } from "./asked.ts";

const CLOSEST = "The documents do not say it outright; closest is:\n\n";

const from = (file: string, text: string) => ({ source: `shop: ${file}`, text });

/** Passages of other documents, which the search found beside the one that answers. */
const OTHERS = [
  from("returns.md", "Goods come back within two weeks."),
  from("staff.md", "The counter is staffed by two people."),
];

const REPAIRS = from(
  "repairs.md",
  "# Repairs\n\nA kettle is repaired within nine days.\n\n## Prices\n\nA repair costs 20 pounds.",
);

test.each([
  ["its sentence", "Within how many days is a kettle repaired?", "within nine days."],
  ["its heading", "What are the prices of repairs?", "A repair costs 20 pounds."],
])("what binds the words of the question is the answer: %s", async (_by, question, expected) => {
  const said = await answer(question, [REPAIRS, ...OTHERS]);
  expect(said).toContain(expected);
  expect(said).not.toContain(CLOSEST);
});

const KETTLE = "A kettle is repaired by the days of the fair.";
const DUE = "All kettles are repaired and due.";
const SHUTTER = "The shutter of a kettle is open by default.";
const DAY = "A kettle is repaired by day 9 of the fair.";

test.each([
  ["it asks for a number", "How many kettles are repaired?", KETTLE],
  ["a word is a number in another language", "How many kettles are due and repaired?", DUE],
  ["it asks for a default", "What is the default shutter of a kettle?", SHUTTER],
  ["a figure is another one", "Is a kettle repaired by day 9.1 of the fair?", DAY],
  [
    "what is asked for is missing",
    "What colour has a kettle repaired by the days of a fair?",
    KETTLE,
  ],
])("what does not bind them is only the closest: %s", async (_why, question, text) => {
  const passages = [from("repairs.md", text), from("repairs.md", "Ask us."), OTHERS[0] ?? ""];
  expect(await answer(question, passages)).toBe(`${CLOSEST}${text}\n\nSource: shop: repairs.md`);
});

test("the closest quotation is cited where it stands behind the words before it", async () => {
  const passages = [from("repairs.md", KETTLE), ...OTHERS];
  const prompt = promptOf("How many kettles are repaired?", passages);
  const { content } = await extractiveChat().doGenerate({ prompt });
  const [part] = content;
  if (part?.type !== "text") throw new Error("no text");
  const [cited] = part.citations ?? [];
  expect(part.text.slice(cited?.startIndex, cited?.endIndex)).toBe(KETTLE);
});

const BULBS = "Bulbs are planted deep in autumn and watered once.";

test("fewer words are enough where most passages are of the same document", async () => {
  const question = "Which bulbs are planted deep and watered in autumn by hand?";
  const more = from("bulbs.md", "Tulips need sun.");
  const alone = await answer(question, [from("bulbs.md", BULBS), ...OTHERS]);
  expect(alone).toBe(`${CLOSEST}${BULBS}\n\nSource: shop: bulbs.md`);
  expect(await answer(question, [from("bulbs.md", BULBS), more, ...OTHERS.slice(0, 1)])).toBe(
    `${BULBS}\n\nSource: shop: bulbs.md`,
  );
});

const EXCLUDES = "A namespace is excluded with a minus.";

test("a document that the question names goes before all others", async () => {
  const question = "How do I exclude a namespace in walrus?";
  const named = [from("otter/README.md", EXCLUDES), from("walrus/README.md", EXCLUDES)];
  expect(await answer(question, named)).toBe(`${EXCLUDES}\n\nSource: shop: walrus/README.md`);
  const vague = [from("otter/README.md", EXCLUDES), from("walrus/README.md", "It is fast.")];
  expect(await answer(question, vague)).toContain(CLOSEST);
});

test("words of code alone state nothing", async () => {
  const code = "```js\n// parses the comments\nparse(json);\n```";
  const question = "How do I parse JSON with comments?";
  expect(await answer(question, [from("lexer.md", code), ...OTHERS])).toContain(CLOSEST);
});

test("what explains another option only mentions the one that is asked for", async () => {
  const passage = "  -m, --most <lines>\n    With -v it stops after other lines.";
  expect(await answer("What does -v do?", [passage])).toContain(CLOSEST);
});

test("a schema takes the closest quotation only as an answer in words", async () => {
  const question = "How many kettles are repaired?";
  const schema = {
    type: "object",
    required: ["answer", "place"],
    properties: { answer: { type: "string" }, place: { enum: ["fair", "shop", null] } },
  };
  const filled = await answer(question, [from("repairs.md", KETTLE), ...OTHERS], schema);
  expect(JSON.parse(filled)).toEqual({ answer: `${CLOSEST}${KETTLE}`, place: null });
});
