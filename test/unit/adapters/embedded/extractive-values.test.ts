import { expect, test } from "vitest";

import { filled } from "./asked.ts";

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
