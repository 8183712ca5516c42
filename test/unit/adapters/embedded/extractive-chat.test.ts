import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";

import { extractiveChat } from "../../../../src/adapters/embedded/extractive-chat.ts";
import { newDelimiterKey, writePassages } from "../../../../src/text/prompt-delimiters.ts";
import { answer, HANDBOOK, promptOf } from "./asked.ts";

type Tools = NonNullable<LanguageModelV4CallOptions["tools"]>;

test.each([
  ["How many days of holiday do I get?", "26 days of paid holiday"],
  ["When must I call if I am sick?", "before 9:30"],
  ["Are unused days paid out?", "not paid out"],
  ["What notice period has a senior?", "3 months"],
])("%s", async (question, expected) => {
  const said = await answer(question, [HANDBOOK]);
  expect(said.split(/(?<=\.)\s/)[0]).toContain(expected);
});

test("what the passages do not know is said so, and not made up", async () => {
  expect(await answer("Quantum chromodynamics?", [HANDBOOK])).toBe(
    "The documents do not seem to say.",
  );
});

test.each([
  ["What is the parking fee for days of holiday?", [HANDBOOK]],
  ["How many days of holiday do I get on Mars?", [HANDBOOK]],
  ["What does the option --gold of leave do?", ["Leave is asked for with the option --silver."]],
])("words that carry the question are missing: %s", async (question, passages) => {
  expect(await answer(question, passages)).toBe("The documents do not seem to say.");
});

test("without anything to quote it says what it is", async () => {
  expect(await answer("Write a poem.")).toBe(
    "There are no passages to answer from, and the embedded model can only quote.",
  );
});

const SHORT_OF_PEOPLE = `# Leave

## Short periods

Two periods are short of people, so few may be away at once:

- **15 March to 30 April**, when trays are moved;
- 1 September to 31 October.

Nobody is asked for a reason.`;

test("a list is quoted whole, with its introduction and its place", async () => {
  expect(await answer("Which periods are short of people?", [SHORT_OF_PEOPLE])).toBe(
    `Two periods are short of people, so few may be away at once:
- 15 March to 30 April, when trays are moved;
- 1 September to 31 October.

Source: leave.md › Short periods`,
  );
});

test("a sentence that refers to the one before it is not quoted alone", async () => {
  const passage = "Five days may be carried over. They must be taken by 31 March.";
  expect(await answer("By when must carried days be taken?", [passage])).toContain(
    "Five days may be carried over. They must be taken by 31 March.",
  );
});

test("the answer is quoted from one document, and cites only that", async () => {
  const prompt = promptOf("How many days of holiday do I get?", [
    HANDBOOK,
    "# Holiday\n\nContractors get no days of holiday.",
  ]);
  const { content } = await extractiveChat().doGenerate({ prompt });
  const [part] = content;
  if (part?.type !== "text") throw new Error("no text");
  expect(part.text).not.toContain("Contractors");
  const quoted = (part.citations ?? []).map(({ startIndex, endIndex }) =>
    part.text.slice(startIndex, endIndex),
  );
  expect(quoted).toEqual(["Full-time employees get 26 days of paid holiday a year."]);
});

test("code that a sentence introduces is quoted as it is written", async () => {
  const passage = "To resume a download, use this:\n\n```sh\ncurl -C - \\\n  -O URL\n```\n";
  expect(await answer("How do I resume a download?", [passage])).toContain(
    "To resume a download, use this:\ncurl -C - \\\n  -O URL\n",
  );
});

async function quotedAndCited(request: string, passage: string): Promise<[string, string[]]> {
  const { content } = await extractiveChat().doGenerate({ prompt: promptOf(request, [passage]) });
  const [part] = content;
  if (part?.type !== "text") throw new Error("no text");
  const cited = (part.citations ?? []).map(({ startIndex, endIndex }) =>
    part.text.slice(startIndex, endIndex),
  );
  return [part.text, cited];
}

const LINES = "curl -C - --retry 5 -O URL\n".repeat(100);

test.each([
  ["introduced", "To resume a download, use this:\n\n", ["To resume a download, use this:"]],
  ["by itself", "# Resume a download\n\n", []],
])("long code is quoted up to the end of a line, %s", async (_how, before, cited) => {
  const passage = `${before}\`\`\`sh\n${LINES}\`\`\`\n`;
  const asked = await quotedAndCited("How do I resume a curl download?", passage);
  const kept = LINES.slice(0, 55 * 27 - 1);
  expect(asked[0]).toContain([...cited, kept, "…"].join("\n"));
  expect(asked[0].length).toBeLessThan(1_600);
  // The mark of what is left out stands in no passage.
  expect(asked[1]).toEqual([...cited, kept]);
});

test("a single line of code is cut between characters", async () => {
  const passage = `To resume, use this:\n\n\`\`\`\nx${"😀".repeat(1_000)}\n\`\`\``;
  const [said] = await quotedAndCited("How do I resume?", passage);
  expect(said).toContain(`To resume, use this:\nx${"😀".repeat(749)}\n…`);
});

const CURL = `       -c, --cookie-jar <file>
              Writes the cookies of the transfer to this file.

       -C, --continue-at <offset>
              Continues the transfer of a file at the offset.

A transfer may end. A transfer ends by -m or -M.`;

test.each([
  ["What does -C do to a transfer?", "-C, --continue-at <offset>\nContinues the transfer"],
  ["What does -c do to a transfer?", "-c, --cookie-jar <file>\nWrites the cookies"],
  ["What ends a transfer, -m or -M?", "A transfer ends by -m or -M."],
])("an option is the one that is written: %s", async (question, expected) => {
  expect(await answer(question, [CURL])).toContain(expected);
});

test("names in code keep their marks", async () => {
  const passage =
    "The variable `__dirname` holds the *folder* of the module, __not__ of the caller.";
  expect(await answer("Which variable holds the folder of a module?", [passage])).toContain(
    "The variable `__dirname` holds the folder",
  );
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
  const found = writePassages([{ source: "leave.md", text: HANDBOOK }], newDelimiterKey());
  const toolName = "search_handbook";
  const output = { type: "text" as const, value: found };
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
  expect(content).toEqual([{ type: "text", text: "It is late." }]);
});

test("characters of a passage count as what they become when words are compared", async () => {
  const rest = "Unused days are paid out in May.";
  const behind = (letters: number) => `${"\ufdfa ".repeat(letters)}\n\n${rest}`;
  const question = "When are unused days paid out?";
  expect(await answer(question, [behind(5_000)])).toContain("in May");
  expect(await answer(question, [behind(20_000)])).not.toContain("in May");
});
