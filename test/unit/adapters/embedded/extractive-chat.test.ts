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
  expect(await answer(question, [HANDBOOK])).toContain(expected);
});

test("what the passages do not know is said so, and not made up", async () => {
  expect(await answer("Quantum chromodynamics?", [HANDBOOK])).toBe(
    "The documents do not seem to say.",
  );
});

test("without anything to quote it says what it is", async () => {
  expect(await answer("Write a poem.")).toBe(
    "There are no passages to answer from, and the embedded model can only quote.",
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
  expect(quoted).toHaveLength(1);
  expect(HANDBOOK).toContain(quoted[0]);
  expect(quoted[0]).toMatch(/^Full-time employees [^]* not paid out\.$/);
});

test("a row and its table's header are cited as two, behind the words before them", async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `| Grade ${at} | ${at} weeks off |`);
  const table = ["| Grade | Notice |", "| --- | --- |", ...rows].join("\n");
  const prompt = promptOf("What pay and notice has grade 21 on Mars?", [table]);
  const { content } = await extractiveChat().doGenerate({ prompt });
  const [part] = content;
  if (part?.type !== "text") throw new Error("no text");
  expect(part.text).toMatch(/^The documents do not say it outright/);
  const cited = (part.citations ?? []).map(({ startIndex, endIndex }) =>
    part.text.slice(startIndex, endIndex),
  );
  expect(cited).toEqual(["| Grade | Notice |\n| --- | --- |", rows[21]]);
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
  expect(content).toEqual([expect.objectContaining({ type: "text" })]);
});

test("characters of a passage count as what they become when words are compared", async () => {
  const rest = "Unused days are paid out in May.";
  const behind = (letters: number) => `${"\ufdfa ".repeat(letters)}\n\n${rest}`;
  const question = "When are unused days paid out?";
  expect(await answer(question, [behind(5_000)])).toContain("in May");
  expect(await answer(question, [behind(20_000)])).not.toContain("in May");
});
