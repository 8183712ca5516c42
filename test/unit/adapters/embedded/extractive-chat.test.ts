import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";

import { extractiveChat } from "../../../../src/adapters/embedded/extractive-chat.ts";
import { newDelimiterKey, writePassages } from "../../../../src/text/prompt-delimiters.ts";
import { answer, HANDBOOK, promptOf, filled } from "./asked.ts";

type Tools = NonNullable<LanguageModelV4CallOptions["tools"]>;

test.each([
  ["How many days of holiday do I get?", "26 days of paid holiday"],
  ["When must I call if I am sick?", "before 9:30"],
  ["Are unused days paid out?", "not paid out"],
  ["What notice period has a senior?", "3 months"],
])("%s", async (question, expected) => {
  expect(await answer(question, [HANDBOOK])).toContain(expected);
});

test.each([
  ["Quantum chromodynamics?", [HANDBOOK], "The documents do not seem to say."],
  [
    "Write a poem.",
    [],
    "There are no passages to answer from, and the embedded model can only quote.",
  ],
])(
  "what cannot be quoted is said so, and not made up: %s",
  async (question, passages, expected) => {
    expect(await answer(question, passages)).toBe(expected);
  },
);

/** The answer and what of it is cited. */
async function cited(question: string, passages: string[]) {
  const { content } = await extractiveChat().doGenerate({ prompt: promptOf(question, passages) });
  const [part] = content;
  if (part?.type !== "text") throw new Error("no text");
  const { text, citations = [] } = part;
  return {
    text,
    quotes: citations.map((citation) => text.slice(citation.startIndex, citation.endIndex)),
  };
}

test("the answer is quoted from one document, and cites only that", async () => {
  const secondDocument = "# Holiday\n\nContractors get no days of holiday.";
  const { text, quotes } = await cited("How many days of holiday do I get?", [
    HANDBOOK,
    secondDocument,
  ]);
  expect(text).not.toContain("Contractors");
  expect(quotes).toHaveLength(1);
  expect(HANDBOOK).toContain(quotes[0]);
  expect(quotes[0]).toMatch(/^Full-time employees [^]* not paid out\.$/);
});

test("a list of what works is not quoted without the list of what does not", async () => {
  const works =
    "**Works when the balancer**:\n- Uses sticky cookies of its own\n- Uses random choice";
  const fails = "**Does NOT work when**:\n- All connections of one address go to one server";
  const filler = `The pool is described in its own page. ${"It has many settings. ".repeat(40)}`;
  const passage = `# Balancing\n\n${filler}\n\n${works}\n\n${fails}\n\n## Limits\n\nNone.`;
  const { quotes } = await cited("Which balancer works with random choice?", [passage]);
  expect(quotes[0]).toContain(works);
  expect(quotes[0]).toContain(fails);
});

test("what is only the closest is cited behind the words that say so", async () => {
  const { text, quotes } = await cited("How many days of holiday do I get on Mars?", [HANDBOOK]);
  expect(text).toMatch(/^The documents do not say it outright/);
  expect(quotes).toEqual([expect.stringMatching(/^Full-time employees [^]* not paid out\.$/)]);
});

test("the answer is the same at every call", async () => {
  const all = await Promise.all([1, 2, 3].map(() => answer("holiday days", [HANDBOOK])));
  expect(new Set(all).size).toBe(1);
});

const search: Tools[number] = {
  type: "function",
  name: "search_handbook",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

test("given tools it searches with the prompt first, and answers from what was found", async () => {
  const model = extractiveChat();
  const prompt = promptOf("How many days of holiday do I get?", []);
  const first = await model.doGenerate({ prompt, tools: [search] });
  expect(first.content).toEqual([
    {
      type: "tool-call",
      toolCallId: "call-1",
      toolName: "search_handbook",
      input: '{"query":"How many days of holiday do I get?"}',
    },
  ]);
  const passages = writePassages([{ source: "leave.md", text: HANDBOOK }], newDelimiterKey());
  const toolName = "search_handbook";
  const output = { type: "text" as const, value: passages };
  const second = await model.doGenerate({
    prompt: [
      ...prompt,
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call-1", toolName, output }] },
    ],
    tools: [search],
  });
  expect(second.content[0]).toMatchObject({ type: "text" });
  expect(JSON.stringify(second.content)).toContain("26 days of paid holiday");
});

test("told not to use tools it answers at once", async () => {
  const { content } = await extractiveChat().doGenerate({
    prompt: promptOf("Is it late? It is late.", []),
    tools: [search],
    toolChoice: { type: "none" },
  });
  expect(content).toEqual([expect.objectContaining({ type: "text" })]);
});

test("characters of a passage count as what they become when words are compared", async () => {
  const rest = "Unused days are paid out in May.";
  const behind = (letters: number) => `${"\ufdfa ".repeat(letters)}\n\n${rest}`;
  const question = "When are unused days paid out?";
  expect(await answer(question, [behind(5_000)])).toContain("in May");
  expect(await answer(question, [behind(20_000)])).not.toContain("in May");
});

const LEAVE = "There are 26 days of leave.";
const SAUNA = "What does the sauna cost?";
const NOTICE = "What is the notice period?";

/** Which value | the question | what is quoted | the property and its type | its value */
const CASES = `
two of a unit | ${NOTICE} | The notice period is one month for the employee and two months for the employer. | months: integer | null
two of a unit, once without it | ${NOTICE} | The notice period is one month for the employee and two for the employer. | months: integer | null
two of a unit, once as an article | ${NOTICE} | The notice period is a month for the employee and two months for the employer. | months: integer | null
one | ${NOTICE} | The notice period is 2 months, or 26 days a year. | months: integer | 2
one in a word | ${NOTICE} | The notice period is one month. | months: integer | null
another unit | ${NOTICE} | The notice period is three weeks. | months: integer | null
another property | How many days of leave are there? | ${LEAVE} | sick_days: integer | null
a part of a number | How many lamps are in the store? | The store has two hundred lamps. | lamps: integer | null
a number that is not read beside one that is | How many lamps are in the store? | The store has two hundred lamps and 3 lamps. | count: integer | null
a part of a word | Combien de lampes sont dans la salle ? | Dans la salle sont vingt-six lampes. | lampes: integer | null
two prices | ${SAUNA} | The sauna costs 4 € for members and 9 € for guests. | price: number | null
one price | ${SAUNA} | The sauna costs 4 € for 2 hours. | price: number | 4
two dates | When is the sauna closed? | The sauna is closed on 3 May 2027 and 4 May 2027. | date: date | null
one date | When is the sauna closed? | The sauna is closed on 31.5.2027. | date: date | "2027-05-31"
no day of a calendar | When is the sauna closed? | The sauna is closed on 2027-02-30. | date: date | null
yes or no in a sentence | Can mechanics work from home? | Mechanics can work from home. | work: boolean | null
an option that holds | Is the sauna open in May? | The sauna is open in May. | state: open/closed | "open"
an option that does not hold | Is the sauna open in May? | The sauna is not open in May. | state: open/closed | null
a name beside its role | Who is the manager of leave? | Ask the manager of leave, Ann Lee. | manager: string | null
what is only the closest | How many days of leave are there on Mars? | ${LEAVE} | days: integer | null`;

function schemaOf(type: string): object {
  if (type === "date") return { type: ["string", "null"], format: "date" };
  return type.includes("/") ? { enum: [...type.split("/"), null] } : { type: [type, "null"] };
}

test.each(CASES.trim().split("\n"))(
  "a value is the only one of its kind and unit in the quotation: %s",
  async (row) => {
    const [, question = "", text = "", property = "", value = ""] = row.split(" | ");
    const [key = "", type = ""] = property.split(": ");
    const schema = { type: "object", required: [key], properties: { [key]: schemaOf(type) } };
    expect(await filled(question, schema, [text])).toEqual({ [key]: JSON.parse(value) });
  },
);

test("words take a quotation that is only the closest, with what says so", async () => {
  const properties = { answer: { type: "string" } };
  const schema = { type: "object", required: ["answer"], properties };
  expect(await filled("How many days of leave are there on Mars?", schema, [LEAVE])).toEqual({
    answer: `The documents do not say it outright; closest is:\n\n${LEAVE}`,
  });
});
