import { expect, test } from "vitest";

import { filled } from "./asked.ts";

const nullable = (type: string, more: object = {}) => ({ type: [type, "null"], ...more });

const NOTICE = "What is the notice period?";

test.each<[string, string, string, object, unknown]>([
  [
    "two of a unit",
    NOTICE,
    "The notice period is one month for the employee and two months for the employer.",
    { months: nullable("integer") },
    { months: null },
  ],
  [
    "two of a unit, once without it",
    NOTICE,
    "The notice period is one month for the employee and two for the employer.",
    { months: nullable("integer") },
    { months: null },
  ],
  [
    "two of a unit, once as an article",
    NOTICE,
    "The notice period is a month for the employee and two months for the employer.",
    { months: nullable("integer") },
    { months: null },
  ],
  [
    "one",
    NOTICE,
    "The notice period is two months, or 26 days a year.",
    { months: nullable("integer") },
    { months: 2 },
  ],
  [
    "one in a word",
    NOTICE,
    "The notice period is one month.",
    { months: nullable("integer") },
    { months: 1 },
  ],
  [
    "another unit",
    NOTICE,
    "The notice period is three weeks.",
    { months: nullable("integer") },
    { months: null },
  ],
  [
    "another property",
    "How many days of leave are there?",
    "There are 26 days of leave.",
    { sick_days: nullable("integer") },
    { sick_days: null },
  ],
  [
    "a part of a number",
    "How many lamps are in the store?",
    "The store has two hundred lamps.",
    { lamps: nullable("integer") },
    { lamps: null },
  ],
  [
    "a part of a word",
    "Combien de lampes sont dans la salle ?",
    "Dans la salle sont vingt-six lampes.",
    { lampes: nullable("integer") },
    { lampes: null },
  ],
  [
    "two prices",
    "What does the sauna cost?",
    "The sauna costs 4 € for members and 9 € for guests.",
    { price: nullable("number") },
    { price: null },
  ],
  [
    "one price",
    "What does the sauna cost?",
    "The sauna costs 4 € for 2 hours.",
    { price: nullable("number") },
    { price: 4 },
  ],
  [
    "two dates",
    "When is the sauna closed?",
    "The sauna is closed on 3 May 2027 and 4 May 2027.",
    { date: nullable("string", { format: "date" }) },
    { date: null },
  ],
  [
    "yes or no in a sentence",
    "Can mechanics work from home?",
    "Mechanics can work from home.",
    { work: nullable("boolean") },
    { work: null },
  ],
  [
    "an option that does not hold",
    "Is the sauna open or closed?",
    "The sauna is not open in May.",
    { state: { enum: ["open", "closed", null] } },
    { state: null },
  ],
  [
    "a name beside its role",
    "Who is the manager of leave?",
    "Ask the manager of leave, Ann Lee.",
    { leave: nullable("string"), manager: nullable("string") },
    { leave: null, manager: null },
  ],
  [
    "what is only the closest",
    "How many days of leave are there on Mars?",
    "There are 26 days of leave.",
    { days: nullable("integer"), place: { enum: ["leave", null] } },
    { days: null, place: null },
  ],
])(
  "a value is the only one of its kind and unit in the quotation, or none: %s",
  async (_which, question, text, properties, expected) => {
    const schema = { type: "object", required: Object.keys(properties), properties };
    expect(await filled(question, schema, [text])).toEqual(expected);
  },
);

test("words take a quotation that is only the closest, with what says so", async () => {
  const properties = { answer: { type: "string" } };
  const schema = { type: "object", required: ["answer"], properties };
  const text = "There are 26 days of leave.";
  expect(await filled("How many days of leave are there on Mars?", schema, [text])).toEqual({
    answer: `The documents do not say it outright; closest is:\n\n${text}`,
  });
});
