import { expect, test } from "vitest";

import { answer } from "./asked.ts";

const CLOSEST = "The documents do not say it outright; closest is:\n\n";

/** What is quoted of one document of a shop, without its source. */
async function quoted(question: string, text: string, file = "kettle.md"): Promise<string> {
  const said = await answer(question, [{ source: `shop: ${file}`, text }]);
  return said.slice(0, said.indexOf("\n\nSource:"));
}

const KETTLE = `# Kettle

Kettle is a tool that boils and pours water.

## Usage

To boil water, call \`kettle.boil\`. It needs a lid.

\`\`\`js
kettle.boil(water);
\`\`\`

## Pouring

Water is heavy.

Tilt the kettle slowly.

\`\`\`js
kettle.tilt();
\`\`\`

## \`lid\`

The default value for the \`lid\` is \`null\`. The lid keeps the steam in.`;

test("how something is done is told by what instructs, with the code below it", async () => {
  expect(await quoted("How do I boil water with kettle?", KETTLE)).toBe(
    "To boil water, call `kettle.boil`. It needs a lid.\nkettle.boil(water);",
  );
});

test("a section whose heading asks the question is quoted from its beginning", async () => {
  expect(await quoted("How do I pour?", KETTLE)).toBe(
    "Water is heavy.\nTilt the kettle slowly.\nkettle.tilt();",
  );
  expect(await quoted("What does the lid of kettle do?", KETTLE)).toBe(
    "The default value for the `lid` is `null`. The lid keeps the steam in.",
  );
});

test("how something is done is not told for sure by what something is", async () => {
  const text = "# Kettle\n\nKettle is a tool that boils water.";
  expect(await quoted("How do I boil water?", text)).toContain(CLOSEST);
  expect(await quoted("What is a kettle?", text)).toBe("Kettle is a tool that boils water.");
});

test("features are no steps, and what is not done is told by a negation", async () => {
  const list = "- Ability to pour tea and water\n- Many colours";
  expect(await quoted("How do I pour tea and water?", list)).toContain(CLOSEST);
  expect(await quoted("How do I pour tea and water?", `Steps:\n${list}`)).not.toContain(CLOSEST);
  const question = "Which lines do not contain words?";
  expect(await quoted(question, "Lines contain words.")).toContain(CLOSEST);
  expect(await quoted(question, "Odd lines contain no words.")).not.toContain(CLOSEST);
});

test("what something is is not told for sure by a condition", async () => {
  const text = "## Shop\n\nIf a kettle is red, it is sold twice. Nobody boils tea.";
  expect(await quoted("What is a kettle?", text, "shop.md")).toContain(CLOSEST);
});

test("a default is told by its value", async () => {
  const text = "The interval may differ from the default interval.";
  expect(await quoted("What is the default interval?", text)).toContain(CLOSEST);
  expect(await quoted("What is the default interval?", `${text}\n\nThe interval: default 9.`)).toBe(
    "The interval: default 9.",
  );
});

test("what something is done to must be said, and a name with a dot as it is written", async () => {
  const tea = "To generate a pot from leaves, use `pot`.";
  expect(await quoted("How do I generate biscuits from leaves of a pot?", tea)).toContain(CLOSEST);
  const not = "The kettle is not a pot.";
  expect(await quoted("What does kettle.not do?", not)).toContain(CLOSEST);
});

test.each([
  ["settings of a page", "---\ntitle: Tin\ndescription: Opens a tin\n---\n\nA tin opens at noon."],
  ["tags that lay it out", '<img align="right" alt="A tin opens">\n\nA tin opens at noon.'],
  ["where to install it", "```sh\nnpm install tin\n```\n\nA tin opens at noon."],
  ["the end of a cut sentence", "opens it by the tin.\n\nA tin opens at noon."],
])("what is not quoted: %s", async (_what, text) => {
  expect(await quoted("When does a tin open?", text)).toBe("A tin opens at noon.");
});

test("a sentence that leads to what is not there is left out", async () => {
  const text = "## Opening tins\n\nTins are opened with a key. Turn it twice, like so:";
  expect(await quoted("How do I open tins?", text)).toBe("Tins are opened with a key.");
});

const PUMP = `Pump 9

1. Data
Power: 450 W
Weight: 4.2 kg
Length of the cable: 10 m

2. Care
Replace the seal once a year. The lid is clean.

EXIT
     The status is 0.`;

test("plain text has titles, and lines with a label each", async () => {
  const said = await answer("What is the length of the cable?", [
    { source: "shop: pump.txt", text: PUMP },
  ]);
  expect(said).toContain("- Length of the cable: 10 m");
  expect(said).toContain("Source: shop: pump.txt › 1. Data");
  expect(await quoted("How often must the seal be replaced?", PUMP)).toBe(
    "Replace the seal once a year. The lid is clean.",
  );
  expect(await quoted("What is the status?", PUMP)).toBe("The status is 0.");
});

test.each([
  ["German", "Wie hoch ist die Kaution?", "Die Kaution beträgt drei Mieten. Sie ist bar."],
  ["French", "Combien de livres peut-on emprunter ?", "On emprunte huit livres. Merci."],
  ["Spanish", "¿Cuánto cuesta la entrada?", "La entrada cuesta 4 euros. Gracias."],
  ["Italian", "Quanto costa l'abbonamento?", "L'abbonamento costa 45 euro. Grazie."],
  ["Portuguese", "Quem é o síndico?", "O síndico é Paulo Andrade. Obrigado."],
  ["Japanese", "昼休みは何時からですか？", "昼休みは12時から1時間です。勤務は9時からです。"],
  ["Chinese", "每位读者可以借多少本书？", "每位读者最多可以借十本书。参考书不能外借。"],
])("the words that ask are known: %s", async (_language, question, text) => {
  const [first = ""] = text.split(/(?<=[.。])/u);
  const said = await quoted(question, text, "haus.md");
  expect(said.startsWith(first)).toBe(true);
});

test("French words of asking are words of an English question", async () => {
  const text = "A comment starts with a hash. A tin starts with a key.";
  expect(await quoted("How does a comment start?", text)).toBe("A comment starts with a hash.");
});

test("of a long paragraph below a heading that asks, only some is quoted", async () => {
  const filler = Array.from({ length: 60 }, (_, at) => `Line ${at} is about other things.`);
  const told = "Report sick leave to the desk by telephone.";
  const text = `# Staff\n\n## Sick leave\n\n${filler.join(" ")} ${told} ${filler.join(" ")}`;
  const said = await answer("How do I report sick leave?", [{ source: "staff.md", text }]);
  expect(said).toContain(told);
  expect(said.length).toBeLessThan(700);
});

test("what applies, and how long it is, is asked without a word of the document", async () => {
  const text =
    "# Contract\n\nThe notice period is three months. During probation it is two weeks.\n\n" +
    "# Vertrag\n\nDie Kündigungsfrist beträgt vier Monate. In der Probezeit sind es acht Tage.";
  expect(await quoted("How long is the notice period?", text)).toMatch(
    /^The notice period is three/,
  );
  expect(await quoted("Which notice period applies?", text)).toMatch(/^The notice period is three/);
  expect(await quoted("What applies during probation?", text)).toMatch(/^During probation it is/);
  expect(await quoted("Wie lang ist die Kündigungsfrist?", text)).toMatch(/^Die Kündigungsfrist/);
  expect(await quoted("Welche Kündigungsfrist gilt?", text)).toMatch(/^Die Kündigungsfrist/);
  expect(await quoted("Was gilt in der Probezeit?", text)).toMatch(
    /^In der Probezeit sind es acht/,
  );
});
